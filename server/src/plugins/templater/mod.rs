//! Templater: an operation for each template of the vault.

mod operation;

use std::sync::Arc;

use serde_json::{Map, Value};
use toolwrit::dynamic::{DynamicOperation, IntoJson};
use toolwrit::{BoxFuture, Context, Offers, Probe, Provider, Reason, Result, Unavailable};
use toolwrit_plugins::Moment;
use toolwrit_plugins::community::PluginsStamp;
use toolwrit_plugins::templater::{
    Executed, Execution, Template, TemplateError, Templater, TemplatesStamp,
};
use toolwrit_vault::{CancelCheck, Vault, VaultError, VaultPath};

use super::detection::{CommunityPlugin, probe_any};
use super::watch::Watch;
use crate::author::author;
use crate::faults::{fault, template_fault};
use crate::operations::types::{self, FromTemplateOutcome as Outcome};
use operation::{Arguments, find_template_name, is_operation, template_operation};

pub(super) const PLUGIN: CommunityPlugin =
    CommunityPlugin { id: "templater-obsidian", title: "Templater" };
const CHOOSE_FOLDER: &str = "Choose a folder of templates in the settings of Templater in Obsidian, or in those of the core plugin Templates.";
const CORRECT_SETTINGS: &str =
    "Correct the file, or save the settings of the plugin in Obsidian again.";

pub(super) struct Templates {
    /// Operations are made of the templates of the first one.
    vaults: Arc<[Vault]>,
    watch: Watch<(PluginsStamp, TemplatesStamp)>,
}

impl Templates {
    pub(super) fn new(vaults: &Arc<[Vault]>) -> Self {
        let watch =
            Watch::new(vaults, |vault| (PluginsStamp::read(vault), TemplatesStamp::read(vault)));
        Self { vaults: vaults.clone(), watch }
    }
}

impl Provider for Templates {
    fn name(&self) -> &'static str {
        "templater"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(async { Ok(probe_any(&self.vaults, probe_templater)) })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.watch.wait_for_change())
    }
}

impl Offers for Templates {
    fn operations(&self) -> BoxFuture<'_, Result<Vec<DynamicOperation>>> {
        Box::pin(async {
            let templates = find_templates(&self.vaults[0]).unwrap_or_default();
            Ok(templates
                .iter()
                .filter(|template| is_operation(template))
                .map(template_operation)
                .collect())
        })
    }

    fn problems(&self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async { Ok(self.vaults.iter().flat_map(find_problems).collect()) })
    }

    fn call<'a>(
        &'a self,
        operation: &'a str,
        cx: &'a Context,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let (vault, operation) = (self.vaults[0].clone(), operation.to_owned());
            let author = author(cx);
            let execute = move |cancelled: CancelCheck<'_>| {
                let template = find_template_name(&vault, &operation, cancelled)?;
                let Arguments { answers, path, dry_run } = Arguments::split(arguments);
                let request = Request { template, answers, path, dry_run };
                let (done, _) = vault.record(author, || execute(&vault, &request, cancelled));
                Ok(done?.into_json())
            };
            cx.blocking(move |cancelled| execute(cancelled)).await
        })
    }
}

/// Templater, or the core plugin Templates, with a folder.
pub(super) fn probe_templater(vault: &Vault) -> Probe {
    let needs = |message: String, remedy: &str| {
        Probe::Unavailable(Unavailable::new(Reason::NeedsConfiguration, message, remedy))
    };
    match (PLUGIN.probe(vault), Templater::open(vault)) {
        (templater @ Probe::Available { .. }, Ok(_)) => templater,
        (Probe::Unavailable(_), Ok(_)) => Probe::Available { version: None },
        (Probe::Unavailable(why), Err(TemplateError::NoFolder)) => Probe::Unavailable(why),
        (Probe::Available { .. }, Err(TemplateError::NoFolder)) => {
            needs("Templater has no folder of templates.".to_owned(), CHOOSE_FOLDER)
        }
        (_, Err(error)) => needs(template_fault(error).message().to_owned(), CORRECT_SETTINGS),
    }
}

/// The templates, also those that cannot be run.
fn find_templates(vault: &Vault) -> std::result::Result<Vec<Template>, TemplateError> {
    Templater::open(vault)?.templates(&|| false)
}

/// What is wrong with the templates, and with their folder. Empty without a folder.
pub(crate) fn find_problems(vault: &Vault) -> Vec<String> {
    match find_templates(vault) {
        Ok(templates) => templates.iter().flat_map(operation::find_problems).collect(),
        Err(TemplateError::NoFolder) => Vec::new(),
        Err(error) => vec![template_fault(error).message().to_owned()],
    }
}

/// A template to run, as callers give it.
pub(crate) struct Request {
    pub(crate) template: String,
    /// The answers to what it asks for.
    pub(crate) answers: Map<String, Value>,
    /// The note to create.
    pub(crate) path: Option<String>,
    pub(crate) dry_run: bool,
}

/// Runs a template, and creates the note.
pub(crate) fn execute(
    vault: &Vault,
    request: &Request,
    cancelled: CancelCheck<'_>,
) -> Result<types::FromTemplate> {
    let path = request.path.as_deref().map(VaultPath::parse).transpose();
    let path = path.map_err(|error| fault(error.into()).with_path("/path"))?;
    let execution = Execution {
        template: &request.template,
        arguments: &request.answers,
        target: path.as_ref(),
        dry_run: request.dry_run,
        now: Moment::now(),
    };
    let templater = Templater::open(vault).map_err(template_fault)?;
    let executed = templater.execute(&execution, cancelled).map_err(template_fault)?;
    to_result(vault, executed, path.is_some()).map_err(fault)
}

fn to_result(
    vault: &Vault,
    executed: Executed,
    has_target: bool,
) -> std::result::Result<types::FromTemplate, VaultError> {
    let Executed { content, path, written } = executed;
    let outcome = match (&written, &path) {
        (Some(_), _) => Outcome::Created,
        (None, Some(path)) if has_target => match vault.locate(path) {
            Ok(_) => Outcome::Exists,
            Err(VaultError::NotFound { .. }) => Outcome::WouldCreate,
            Err(error) => return Err(error),
        },
        _ => Outcome::NotSaved,
    };
    Ok(types::FromTemplate {
        content,
        path: path.map(|path| path.to_string()),
        outcome,
        etag: written.map(|written| written.etag.to_string()),
    })
}
