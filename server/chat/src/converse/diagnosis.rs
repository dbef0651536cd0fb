//! What `doctor` finds about conversations.

use std::iter;
use std::time::Duration;

use crate::provider::{End, Event, Message, Model, ModelError, OfferedModel, Request, Stop};
use futures::StreamExt;
use tokio::time::timeout;
use toolwrit_core::diagnosis::Check;
use toolwrit_core::policy::Policy;

use crate::converse::narrowing::{narrow_policy, unasked_writes};
use crate::converse::problem::Problem;
use crate::converse::remote::create_model;
use crate::converse::settings::{ChatSettings, ChatTable, ModelTable};

/// How long a model has for its first word.
const TRY: Duration = Duration::from_secs(30);

/// Checks the names in `[chat]` and in the tables `chat` of models: those that are unknown, and no others.
#[must_use]
pub fn check_names(settings: &ChatSettings, base: &Policy) -> Vec<Check> {
    let of_models =
        settings.models.iter().map(|(name, model)| (format!("[models.{name}.chat]"), &model.chat));
    let tables = iter::once(("[chat]".to_owned(), &settings.chat)).chain(of_models);
    let checks = tables.flat_map(|(table, chat)| {
        let fix = format!("Correct it in {table} of the configuration.");
        let failed = move |problem: Problem| {
            Check::fail(format!("table {table}"), problem.to_string(), &fix)
        };
        find_unknown_names(settings, chat, base).into_iter().map(failed)
    });
    checks.collect()
}

fn find_unknown_names(settings: &ChatSettings, chat: &ChatTable, base: &Policy) -> Vec<Problem> {
    let ChatTable { focus, role, tools, .. } = chat.clone();
    let of_policy = [
        ChatTable { focus, ..ChatTable::default() },
        ChatTable { role, ..ChatTable::default() },
        ChatTable { tools, ..ChatTable::default() },
    ];
    let of_policy = of_policy.iter().filter_map(|one| narrow_policy(base, one, false).err());
    let is_unknown = |name: &&String| !settings.models.contains_key(*name);
    let model = chat.model.as_ref().filter(is_unknown).map(|wanted| Problem::UnknownModel {
        wanted: wanted.clone(),
        known: settings.models.keys().cloned().collect::<Vec<_>>().join(", "),
    });
    model
        .into_iter()
        .chain(of_policy.chain(unasked_writes(base, chat).err()).map(Problem::from))
        .collect()
}

/// Asks a model for one word.
pub async fn check_model(name: &str, table: &ModelTable) -> Check {
    let what = format!("model {name}");
    let fix = suggest_fix(None);
    let model = match create_model(name, table) {
        Ok(model) => model,
        Err(problem) => return Check::fail(what, problem.to_string(), fix),
    };
    let text = "Answer with the word OK.".to_owned();
    let message = Message::User { text, images: Vec::new() };
    let mut stream = model.ask(Request { messages: vec![message], tools: [].into() });
    loop {
        match timeout(TRY, stream.next()).await {
            // An error may follow.
            Ok(Some(Ok(Event::Alive | Event::End(End { stop: Stop::Missing, .. })))) => {}
            Ok(Some(Ok(Event::End(_) | Event::Text(_)))) => {
                return Check::ok(what, format!("{} answers", table.model));
            }
            Ok(Some(Err(error))) => {
                return Check::fail(what, error.message, suggest_fix(error.status));
            }
            Ok(None) => return Check::fail(what, "the answer ended early", fix),
            Err(_) => {
                let seconds = TRY.as_secs();
                return Check::fail(what, format!("no answer within {seconds} seconds"), fix);
            }
        }
    }
}

/// The models that the endpoint of a model offers.
///
/// # Errors
/// Why there is no list, and what to do about it.
pub async fn list_models(name: &str, table: &ModelTable) -> Result<Vec<OfferedModel>, String> {
    let model = create_model(name, table).map_err(|problem| problem.to_string())?;
    let listed = model.offered().await;
    let listed = listed.map_err(|error| {
        let why = error.message.trim_end_matches('.');
        format!("{why}. {}", suggest_list_fix(&table.dialect, &error)).trim_end().to_owned()
    })?;
    match (listed.is_empty(), table.dialect.as_str()) {
        (true, "ollama") => Err(format!(
            "the server of the model {name} has no models. `ollama pull NAME` gets one."
        )),
        (true, _) => Err(format!("the endpoint of the model {name} offers no models.")),
        (false, _) => Ok(listed),
    }
}

fn suggest_list_fix(dialect: &str, error: &ModelError) -> &'static str {
    match error.status {
        Some(404 | 405) => {
            "It has no list of models there. Check its `base_url` and its `dialect`; the address of a server that is compatible \
             with OpenAI often ends with /v1/."
        }
        None if !error.retryable => "",
        None if dialect == "ollama" => {
            "Start it with `ollama serve`, or set `base_url` to where it is."
        }
        status => suggest_fix(status),
    }
}

/// What to do about a model that does not answer, by the status of its provider.
fn suggest_fix(status: Option<u16>) -> &'static str {
    match status {
        Some(401 | 403) => {
            "Set the environment variable of `key_env` in its table to a key that is valid for this model."
        }
        Some(404) => {
            "Correct its `model`, `base_url` or `dialect`. `chat --models` lists the models that its endpoint offers."
        }
        Some(429) => "Wait, or check the limits and the credit of your account at the provider.",
        _ => {
            "Correct its table in the configuration, and check whether its address can be reached."
        }
    }
}
