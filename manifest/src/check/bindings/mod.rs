//! Providers and the operations that are bound to them. The tables are those of `toolwrit-bindings`, as JSON.

mod api;
mod arguments;
mod codes;
mod command;
mod header;
mod http;
mod json_path;
mod mcp;
mod page;
mod reads;
mod request;
mod result;
mod rules;
mod scope;
mod settings;
mod shell;
mod steps;
mod template;
mod versions;
mod words;

use serde_json::{Value, json};

use crate::check::names::lookup::DeclaredNames;
use crate::check::names::optional::split_optional;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{
    Binding, BindingKind, Effect, Model, Operation, OperationId, ProviderId, Setting, TypeId,
};
use crate::raw::lock_file::LockFile;
use crate::raw::{
    RawCommand, RawManifest, RawOperation, RawProvider, RawRequest, RawTool, Written,
};
use crate::yaml::Text;
#[cfg(feature = "schema")]
pub(crate) use codes::OF_ANSWERS as CODES_OF_ANSWERS;
use result::NamedShapes;

/// Adds to the model how its providers and operations are bound.
pub(super) fn bind(
    raw: &RawManifest,
    lookup: &DeclaredNames<'_>,
    model: &mut Model,
    report: &mut Report,
) {
    settings::share_no_variable(raw, report);
    let mut shapes = Vec::new();
    for (at, entry) in raw.providers.iter().enumerate() {
        let settings = entry.value.settings.as_ref();
        let settings =
            settings.map(|raw| settings::settings(&raw.keys, report)).unwrap_or_default();
        let named = named_shapes(&entry.value, lookup, report);
        rules::provider(&entry.value, report);
        let context = (&*model, settings.as_slice(), &named);
        let name = &entry.key.value;
        let binding = match lock(raw, at) {
            Some(lock) => mcp_binding(name, &entry.value, (&*model, &settings, lock), report),
            None => provider_binding(name, &entry.value, context, lookup, report),
        };
        let provider = &mut model.providers[at];
        provider.settings = settings;
        provider.binding = binding;
        shapes.push(named);
    }
    for (at, entry) in raw.operations.iter().enumerate() {
        let Some(bound) = RawBound::from_operation(&entry.value) else { continue };
        let id = OperationId(at);
        let is_alone = rules::is_alone(&entry.value, bound, report);
        let provider = is_alone.then(|| provider(bound, raw, lookup, report)).flatten();
        let table = provider.map(|provider| {
            let context = (&*model, id, provider);
            let table = match bound {
                RawBound::Http(written) => {
                    let shapes = &shapes[provider.0];
                    http::operation(&entry.value, written, context, shapes, lookup, report)
                }
                RawBound::Command(written) => {
                    command::operation(&entry.value, written, context, report)
                }
                RawBound::Mcp(written) => {
                    let tools = lock(raw, provider.0).and_then(|lock| lock.tools.as_deref());
                    mcp::operation(&entry.value, written, context, tools, report)
                }
            };
            rules::check(&entry.value, bound, model, (&model[id], &model[provider]), report);
            table
        });
        let operation = &mut model.operations[at];
        // Without a table a problem is reported, and nothing uses the model.
        operation.binding =
            Some(binding(bound.kind(), bound.json(), &table.unwrap_or(Value::Null)));
        operation.requires = provider;
        // What is reached may be the network or the user's own data.
        operation.open_world = entry.value.open_world.as_ref().map(|flag| flag.value);
    }
}

/// The binding of an operation, as written.
#[derive(Clone, Copy)]
enum RawBound<'a> {
    Http(&'a Written<RawRequest>),
    Command(&'a Written<RawCommand>),
    Mcp(&'a Written<RawTool>),
}

impl<'a> RawBound<'a> {
    fn from_operation(raw: &'a RawOperation) -> Option<Self> {
        let http = raw.http.as_ref().map(Self::Http);
        let command = || raw.command.as_ref().map(Self::Command);
        http.or_else(command).or_else(|| raw.mcp.as_ref().map(Self::Mcp))
    }

    fn kind(self) -> BindingKind {
        match self {
            Self::Http(_) => BindingKind::Http,
            Self::Command(_) => BindingKind::Command,
            Self::Mcp(_) => BindingKind::Mcp,
        }
    }

    fn place(self) -> Place {
        match self {
            Self::Http(written) => written.place,
            Self::Command(written) => written.place,
            Self::Mcp(written) => written.place,
        }
    }

    fn json(self) -> &'a Value {
        match self {
            Self::Http(written) => &written.json,
            Self::Command(written) => &written.json,
            Self::Mcp(written) => &written.json,
        }
    }

    /// The name of the provider, if it is written.
    fn provider(self) -> Option<&'a Text> {
        match self {
            Self::Http(written) => written.keys.provider.as_ref(),
            Self::Command(written) => written.keys.provider.as_ref(),
            Self::Mcp(written) => written.keys.0.provider.as_ref(),
        }
    }
}

/// A binding whose table has the tag of its kind.
fn binding(kind: BindingKind, written: &Value, table: &Value) -> Binding {
    Binding { kind, written: written.clone(), table: json!({ kind.as_str(): table }) }
}

fn provider_binding(
    name: &str,
    raw: &RawProvider,
    (model, settings, named): (&Model, &[Setting], &NamedShapes),
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Option<Binding> {
    if let Some(http) = &raw.http {
        let table = api::api(name, &http.keys, (model, settings), named, lookup, report);
        return Some(binding(BindingKind::Http, &http.json, &table));
    }
    let command = raw.command.as_ref()?;
    let table = command::provider(name, &command.keys, settings, report);
    Some(binding(BindingKind::Command, &command.json, &table))
}

/// The lock file of the provider at a position.
fn lock(raw: &RawManifest, at: usize) -> Option<&LockFile> {
    raw.locks.get(at)?.as_ref()
}

fn mcp_binding(
    name: &str,
    raw: &RawProvider,
    (model, settings, lock): (&Model, &[Setting], &LockFile),
    report: &mut Report,
) -> Option<Binding> {
    let mcp = raw.mcp.as_ref()?;
    let table = mcp::provider(name, mcp, (model, settings, lock), report);
    let mut written = mcp.json.clone();
    // The path from the root file, where an included file would be written, too.
    written["lock"] = lock.path.as_str().into();
    Some(binding(BindingKind::Mcp, &written, &table))
}

/// The types whose places the provider declares.
fn named_shapes(raw: &RawProvider, lookup: &DeclaredNames<'_>, report: &mut Report) -> NamedShapes {
    let shapes = raw.http.as_ref().and_then(|http| http.keys.shapes.as_ref());
    let ids = shapes.into_iter().flat_map(|shapes| &shapes.0);
    let ids: Vec<TypeId> =
        ids.filter_map(|entry| lookup.type_id(&entry.key.value, entry.key.place, report)).collect();
    NamedShapes(ids)
}

/// The provider of a binding: the one that it names, or the only one of its kind.
fn provider(
    bound: RawBound<'_>,
    raw: &RawManifest,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Option<ProviderId> {
    let (place, key) = (bound.place(), bound.kind().as_str());
    let (article, what) = match bound.kind() {
        BindingKind::Http => ("an", "HTTP API"),
        BindingKind::Command => ("a", "provider of commands"),
        BindingKind::Mcp => ("an", "MCP server"),
    };
    let fits = |id: &ProviderId| {
        let provider = &raw.providers[id.0].value;
        match bound.kind() {
            BindingKind::Http => provider.http.is_some(),
            BindingKind::Command => provider.command.is_some(),
            BindingKind::Mcp => provider.mcp.is_some(),
        }
    };
    if let Some(name) = bound.provider() {
        let id = lookup.provider(name, report)?;
        if !fits(&id) {
            let message = format!("the provider `{}` is not {article} {what}", name.value);
            report.push(
                Problem::error(name.place, message).help(format!("add `{key}` to the provider")),
            );
            return None;
        }
        return Some(id);
    }
    let known: Vec<ProviderId> = (0..raw.providers.len()).map(ProviderId).filter(fits).collect();
    if let [only] = known[..] {
        return Some(only);
    }
    let names: Vec<&str> = known.iter().map(|id| raw.providers[id.0].key.value.as_str()).collect();
    let problem = if names.is_empty() {
        let message = format!("there is no {what} to which the operation can be bound");
        Problem::error(place, message).help(format!("declare a provider with `{key}`"))
    } else {
        let message = format!("it is not clear to which {what} the operation is bound");
        Problem::error(place, message)
            .expected(format!("`provider:` with one of: {}", names.join(", ")))
    };
    report.push(problem);
    None
}

/// The effect in a table.
fn effect_word(operation: &Operation) -> &'static str {
    if operation.effect == Effect::Read { "read" } else { "write" }
}

/// The place of a key of the short or the long form.
fn key_place<'a>(keys: impl IntoIterator<Item = &'a Text>, name: &str) -> Option<Place> {
    keys.into_iter().find(|key| split_optional(&key.value).0 == name).map(|key| key.place)
}
