//! The models that the endpoints of the configuration offer.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::commands::serve;
use crate::exit::Exit;
use crate::output;
use crate::output::table::{Align, table};
use crate::program::{Program, in_runtime};
use toolwrit_chat::converse::list_models;
use toolwrit_chat::converse::settings::{ChatSettings, ModelTable};
use toolwrit_chat::provider::OfferedModel;

/// The tables of the configuration that have the same endpoint, and what it offers.
struct Endpoint<'a> {
    tables: Vec<(&'a str, &'a ModelTable)>,
    offered: Result<Vec<OfferedModel>, String>,
}

/// Prints the models of the endpoints, or only of the one of this model. Fails if one has no list.
pub(super) fn list(program: &Program, wanted: Option<&str>, json: bool) -> Result<(), Exit> {
    let settings = serve::configuration(program)?.chat();
    let tables = tables(&settings, wanted)?;
    let endpoints = in_runtime(1, async {
        let asked = join_all(tables.into_iter().map(ask)).await;
        Ok(asked)
    })?;
    if json {
        output::print_json(&endpoints.iter().map(Endpoint::json).collect::<Vec<_>>())?;
    } else {
        let rows: Vec<Vec<String>> = endpoints.iter().flat_map(Endpoint::rows).collect();
        if !rows.is_empty() {
            let columns = [
                ("endpoint", Align::Left),
                ("model", Align::Left),
                ("context", Align::Right),
                ("configured as", Align::Left),
            ];
            output::print(&table(&columns, &rows))?;
        }
    }
    let failed = endpoints.iter().filter_map(|endpoint| endpoint.offered.as_ref().err());
    let failed: Vec<&str> = failed.map(String::as_str).collect();
    match failed.as_slice() {
        [] => Ok(()),
        _ if json => Err(Exit::Failed(String::new())),
        failed => Err(Exit::Failed(failed.join("\n"))),
    }
}

/// The tables of the configuration, by endpoint.
fn tables<'a>(
    settings: &'a ChatSettings,
    wanted: Option<&str>,
) -> Result<Vec<Vec<(&'a str, &'a ModelTable)>>, Exit> {
    let known = || settings.models.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    if settings.models.is_empty() {
        return Err(Exit::Configuration(
            "no model is configured. Add a table such as [models.local] with `dialect` and `model` to the configuration; any \
             `model` serves for this list."
                .to_owned(),
        ));
    }
    let mut endpoints: Vec<Vec<(&str, &ModelTable)>> = Vec::new();
    for (name, table) in &settings.models {
        if wanted.is_some_and(|wanted| wanted != name) {
            continue;
        }
        let is_same = |other: &ModelTable| {
            (&other.dialect, &other.base_url, &other.key_env)
                == (&table.dialect, &table.base_url, &table.key_env)
        };
        match endpoints.iter_mut().find(|tables| is_same(tables[0].1)) {
            Some(tables) => tables.push((name, table)),
            None => endpoints.push(vec![(name, table)]),
        }
    }
    match wanted {
        Some(wanted) if endpoints.is_empty() => Err(Exit::Configuration(format!(
            "there is no model `{wanted}`. The models are {}.",
            known()
        ))),
        _ => Ok(endpoints),
    }
}

async fn ask<'a>(tables: Vec<(&'a str, &'a ModelTable)>) -> Endpoint<'a> {
    let (name, table) = tables[0];
    Endpoint { offered: list_models(name, table).await, tables }
}

impl Endpoint<'_> {
    /// The names in the configuration of a model that is offered.
    fn names(&self, model: &OfferedModel) -> Vec<&str> {
        let is_it = |table: &ModelTable| {
            // Ollama leaves out the usual tag.
            let [wanted, name] = [&table.model, &model.name].map(|name| {
                name.strip_suffix(":latest").unwrap_or(name).trim_start_matches("models/")
            });
            wanted == name
        };
        self.tables.iter().filter(|(_, table)| is_it(table)).map(|(name, _)| *name).collect()
    }

    /// How the endpoint is called: its API, and its address if it is not the provider's own.
    fn title(&self) -> String {
        let table = self.tables[0].1;
        match &table.base_url {
            Some(base) => format!("{} {base}", table.dialect),
            None => table.dialect.clone(),
        }
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let row = |model: &OfferedModel| {
            let context =
                model.context.map_or_else(|| "not said".to_owned(), |tokens| tokens.to_string());
            let name = output::on_one_line(&model.name);
            vec![self.title(), name, context, self.names(model).join(", ")]
        };
        self.offered.iter().flatten().map(row).collect()
    }

    fn json(&self) -> Value {
        let model = |model: &OfferedModel| json!({ "model": model.name, "context": model.context, "configured_as": self.names(model) });
        let table = self.tables[0].1;
        let mut json = json!({ "dialect": table.dialect, "base_url": table.base_url });
        match &self.offered {
            Ok(models) => json["models"] = models.iter().map(model).collect(),
            Err(error) => json["error"] = error.as_str().into(),
        }
        json
    }
}
