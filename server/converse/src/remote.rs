//! Models from their settings.

use std::time::Duration;

use futures::StreamExt;
use tokio::time::timeout;
use toolwrit_chat::provider::{Event, Message, Model, RemoteModel, RemoteModelOptions, Request};
use toolwrit_core::diagnosis::Check;

use crate::problem::Problem;
use crate::settings::ModelTable;

/// How long a model has for its first word to `doctor`.
const TRY: Duration = Duration::from_secs(30);

/// Makes a model of what the operator says. Connects to nothing.
///
/// # Errors
/// If the key is missing, or the address cannot be used.
pub fn model(name: &str, table: &ModelTable) -> Result<RemoteModel, Problem> {
    let wrong = |message: String| Problem::Model { name: name.to_owned(), message };
    let key = match &table.key_env {
        None => None,
        Some(variable) => {
            let key = std::env::var(variable).ok().filter(|key| !key.is_empty());
            Some(key.ok_or_else(|| {
                wrong(format!("the environment variable {variable}, which has its key, is not set"))
            })?)
        }
    };
    let dialect = table.dialect.parse().map_err(|error| wrong(format!("{error}")))?;
    RemoteModel::new(RemoteModelOptions {
        name: name.to_owned(),
        dialect,
        model: table.model.clone(),
        base_url: table.base_url.clone(),
        key,
        max_tokens: table.max_tokens,
        thinks: table.thinks,
        price: table.price.as_ref().map(crate::settings::PriceTable::price),
    })
    .map_err(|error| wrong(error.to_string()))
}

/// Asks a model for one word.
pub async fn check(name: &str, table: &ModelTable) -> Check {
    let what = format!("model {name}");
    let fix =
        "Correct its table in the configuration, and check whether its address can be reached.";
    let model = match model(name, table) {
        Ok(model) => model,
        Err(problem) => return Check::fail(what, problem.to_string(), fix),
    };
    let text = "Answer with the word OK.".to_owned();
    let message = Message::User { text, images: Vec::new() };
    let mut stream = model.ask(Request { messages: vec![message], tools: [].into() });
    loop {
        match timeout(TRY, stream.next()).await {
            Ok(Some(Ok(Event::End(_) | Event::Text(_)))) => {
                return Check::ok(what, format!("{} answers", table.model));
            }
            Ok(Some(Ok(Event::Alive))) => {}
            Ok(Some(Err(error))) => return Check::fail(what, error.message, fix),
            Ok(None) => return Check::fail(what, "the answer ended early", fix),
            Err(_) => {
                let seconds = TRY.as_secs();
                return Check::fail(what, format!("no answer within {seconds} seconds"), fix);
            }
        }
    }
}
