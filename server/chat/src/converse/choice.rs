//! The model that a conversation asks.

use crate::conversation::ChatError;
use crate::format::{Document, Kind, NoteSettings, Part};
use crate::provider::{Event, Model, ModelError, Request};
use futures::StreamExt;
use futures::stream::{self, BoxStream};

use crate::converse::problem::Problem;
use crate::converse::settings::{ChatSettings, ChatTable};

/// The model of a conversation, and what holds for it.
pub(crate) fn choose_model(
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
    let document = Document::parse(text);
    let of_note = NoteSettings::read(&document)
        .map_err(|mistakes| Problem::from_chat_error(note, ChatError::Mistakes(mistakes)))?;
    let only = models.keys().next().filter(|_| models.len() == 1);
    let name = wanted
        .map(str::to_owned)
        .or(of_note.model)
        .or_else(|| model_of_open_turn(&document).filter(|name| models.contains_key(name)))
        .or_else(|| chat.model.clone())
        .or_else(|| only.cloned());
    match name {
        _ if models.is_empty() => Err(Problem::NoModel),
        None => Err(Problem::NoChoice(known())),
        Some(wanted) => match models.get(&wanted) {
            Some(model) => {
                let table = model.chat.clone().complete_with(chat);
                if table.enabled == Some(false) {
                    return Err(Problem::Disabled);
                }
                Ok((wanted, table))
            }
            None => Err(Problem::UnknownModel { wanted, known: known() }),
        },
    }
}

/// The model that has answered last, if the user has not written on since: its turn goes on.
fn model_of_open_turn(document: &Document<'_>) -> Option<String> {
    let is_blank =
        |part: &&Part| matches!(part, Part::Text(text) if text.visible(document).is_empty());
    let last = document.parts().iter().rev().find(|part| !is_blank(part));
    let answers = document.blocks().filter(|block| block.header.kind == Kind::Assistant);
    let last = last.filter(|part| matches!(part, Part::Block(_))).and(answers.last());
    last.map(|answer| answer.header.name.clone())
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(names: &[&str], chat: serde_json::Value) -> ChatSettings {
        let model = |chat| json!({ "dialect": "openai", "model": "m", "chat": chat });
        ChatSettings {
            models: names
                .iter()
                .map(|name| {
                    let table =
                        if *name == "off" { json!({ "enabled": false }) } else { json!({}) };
                    ((*name).to_owned(), serde_json::from_value(model(table)).unwrap())
                })
                .collect(),
            chat: serde_json::from_value(chat).unwrap(),
        }
    }

    #[test]
    fn the_command_comes_before_the_note_and_the_note_before_the_configuration() {
        let settings = settings(&["a", "b", "c"], json!({ "model": "c" }));
        let chosen = |wanted, text| choose_model(&settings, wanted, "N.md", text).unwrap().0;
        let note = "---\nchat-model: b\n---\nHello\n";
        assert_eq!(chosen(Some("a"), note), "a");
        assert_eq!(chosen(None, note), "b");
        assert_eq!(chosen(None, "Hello\n"), "c");
    }

    #[test]
    fn a_turn_goes_on_with_its_model() {
        let settings = settings(&["a", "b"], json!({ "model": "a" }));
        let chosen = |wanted, text: &str| choose_model(&settings, wanted, "N.md", text).unwrap().0;
        let note = |model: &str, after: &str| {
            format!(
                "Do it.\n\n> [!assistant|aaaaaaaaa]+ `{model}` · answer\n>\n> Yes.\n\n> [!tool|bbbbbbbbb]- `x` · asks\n> \
                 ```json\n> {{}}\n> ```\n{after}"
            )
        };
        assert_eq!(chosen(None, &note("b", "\n")), "b");
        assert_eq!(chosen(Some("a"), &note("b", "")), "a");
        assert_eq!(chosen(None, &note("b", "\nAnother thing.\n")), "a");
        assert_eq!(chosen(None, &note("gone", "")), "a");
    }

    #[test]
    fn the_only_model_needs_no_choice_and_whatever_is_missing_is_said() {
        let refused = |settings: &ChatSettings, wanted: Option<&str>| {
            choose_model(settings, wanted, "N.md", "Hello\n").unwrap_err().to_string()
        };
        let chosen = choose_model(&settings(&["a"], json!({})), None, "N.md", "Hello\n").unwrap();
        assert_eq!(chosen.0, "a");
        assert!(refused(&settings(&["a", "b"], json!({})), None).contains("Name one of a, b"));
        assert!(refused(&settings(&[], json!({})), Some("a")).contains("no model is configured"));
        assert!(refused(&settings(&["a"], json!({})), Some("b")).contains("The models are a."));
        for off in [settings(&["a"], json!({ "enabled": false })), settings(&["off"], json!({}))] {
            assert!(refused(&off, None).contains("switched off"));
        }
    }
}
