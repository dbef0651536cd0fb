//! Checks the manifest as written and builds the model. Each folder has the rules of one part of the language, and a
//! rule reports a problem at a place. An invalid value is reported and replaced by a harmless one, so the model is always
//! complete and its lists are parallel to the raw ones.

mod access;
mod bindings;
mod errors;
mod finding;
mod names;
mod operations;
mod served;
mod server;
mod size;
mod text;
mod types;

#[cfg(feature = "schema")]
pub(crate) use bindings::CODES_OF_ANSWERS;
#[cfg(feature = "schema")]
pub(crate) use names::lookup::BUILT_IN as BUILT_IN_TYPES;
pub(crate) use server::version;

use crate::diagnostics::Report;
use crate::model::Model;
use crate::raw::RawManifest;
use names::lookup::DeclaredNames;
use names::{generated, spelling, surfaces};
use operations::{asks, merged};
use served::{cookbooks, prompts, resources};

/// Checks every rule of the language. The model may be served only if no error is reported.
pub(crate) fn check(mut raw: RawManifest, report: &mut Report) -> Model {
    raw.operations.retain(|entry| spelling::is_operation_id(&entry.key, report));
    let lookup = DeclaredNames::from_manifest(&raw);
    let mut types = types::TypeTable::new(&raw.types, &lookup);
    types.lower_all(report);

    let mut model = Model {
        server: server::server(&raw.server, report),
        limits: server::limits(&raw.limits),
        budget: server::budget(&raw.budget),
        types: Vec::new(),
        categories: server::categories(&raw.categories, &lookup, report),
        focus: Vec::new(),
        roles: Vec::new(),
        contexts: Vec::new(),
        verbs: finding::verbs(&raw.verbs, report),
        gaps: finding::gaps(&raw.gaps, report),
        providers: server::providers(&raw.providers, report),
        errors: errors::errors(&raw.errors, report),
        operations: Vec::new(),
        merged: merged::tools(&raw, &lookup, report),
        removed: merged::removed(&raw, &lookup, report),
        resources: resources::resources(&raw.resources, report),
        prompts: prompts::prompts(&raw.prompts, report),
        cookbooks: cookbooks::cookbooks(&raw, &lookup, report),
    };
    model.prompts.extend(cookbooks::prompts(&raw, &model.cookbooks, report));
    served::check(&raw, report);
    served::add_categories(&raw, &mut model.categories);
    model.operations =
        operations::operations(&raw, &lookup, &mut types, &mut model.categories, report);
    let served = served::operations(&raw, &model);
    model.operations.extend(served);
    model.types = types.into_definitions();
    bindings::bind(&raw, &lookup, &mut model, report);
    let access = access::AccessChecks { lookup: &lookup, raw: &raw };
    model.focus = access.focus(report);
    model.roles = access.roles(report);
    model.contexts = access.contexts(report);

    for (entry, operation) in raw.operations.iter().zip(&model.operations) {
        operations::check(&entry.value, &model, operation, report);
        types::schema_size::check(&entry.key, &model, operation, report);
    }
    size::check(&model, report);
    merged::check(&raw, &model, report);
    surfaces::check(&raw, &model, report);
    generated::check(&raw, &model, report);
    access.check(&model, report);
    asks::check(&raw, &model, report);
    model
}
