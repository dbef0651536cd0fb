//! The model that a conversation asks.

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use toolwrit_chat::conversation::ChatError;
use toolwrit_chat::format::{Document, NoteSettings};
use toolwrit_chat::provider::{Event, Model, ModelError, Request};

use crate::problem::Problem;
use crate::settings::{ChatSettings, ChatTable};

/// The model of a conversation, and what holds for it.
pub(crate) fn model_of(
    settings: &ChatSettings,
    wanted: Option<&str>,
    note: &str,
    text: &str,
) -> Result<(String, ChatTable), Problem> {
    let ChatSettings { models, chat } = settings;
    if chat.enabled == Some(false) {
        return Err(Problem::Disabled);
    }
    let known = || models.keys().cloned().collect::<Vec<_>>().join(", ");
    let of_note = NoteSettings::read(&Document::parse(text))
        .map_err(|mistakes| Problem::of(note, ChatError::Mistakes(mistakes)))?;
    let only = models.keys().next().filter(|_| models.len() == 1);
    let name = wanted
        .map(str::to_owned)
        .or(of_note.model)
        .or_else(|| chat.model.clone())
        .or_else(|| only.cloned());
    match name {
        _ if models.is_empty() => Err(Problem::NoModel),
        None => Err(Problem::NoChoice(known())),
        Some(wanted) => match models.get(&wanted) {
            Some(model) => {
                let table = model.chat.clone().or(chat);
                if table.enabled == Some(false) {
                    return Err(Problem::Disabled);
                }
                Ok((wanted, table))
            }
            None => Err(Problem::UnknownModel { wanted, known: known() }),
        },
    }
}

/// Stands in for a model where none is asked.
pub(crate) struct NoModel;

impl Model for NoModel {
    fn name(&self) -> &'static str {
        "none"
    }

    fn ask(&self, _: Request) -> BoxStream<'_, Result<Event, ModelError>> {
        stream::iter([Err(ModelError::permanent("no model is asked here"))]).boxed()
    }
}
