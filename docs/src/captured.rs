//! Answers that a test captured from the shipped server on its sample vault. A block of JSON after a comment
//! `<!-- call .. -->` is one, in the guide and in the files of `examples/`.

use include_dir::{Dir, include_dir};
use serde_json::Value;
use toolwrit_manifest::{Model, Operation};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/examples");

/// The server that gave the answers.
const SERVER: &str = "toolwrit-vault";
/// What stands for a value that differs each time, or for the rest of a list.
const ANYTHING: &str = "\"..\"";
/// The flags of a call on the surface `meta`.
const META: &str = "--surface meta ";
const COMMENT: (&str, &str) = ("<!-- call ", " -->\n");

/// A call and its answer, as JSON.
pub(crate) struct Captured {
    pub(crate) arguments: Value,
    pub(crate) answer: String,
}

impl Captured {
    /// The answer to a call of an operation, if one was captured that names no operation which the model lacks.
    pub(crate) fn find(model: &Model, operation: &Operation) -> Option<Self> {
        if !is_shipped_server(model) {
            return None;
        }
        let section = format!("\n## {}\n\n", operation.id);
        let mut texts = FILES.files().filter_map(|file| file.contents_utf8());
        let text = texts.find_map(|text| text.split_once(&section)).map(|(_, rest)| rest)?;
        let (calls, rest) = text.strip_prefix(COMMENT.0)?.split_once(COMMENT.1)?;
        let (_, rest) = rest.split_once("```json\n")?;
        let answer = rest.split("\n```").next()?.to_owned();
        if names_unknown_operation(model, &answer) {
            return None;
        }
        let is_meta = calls.starts_with(META);
        let calls = serde_json::Deserializer::from_str(calls.split_at_checked(calls.find('{')?)?.1);
        let mut call: Value = calls.into_iter().filter_map(Result::ok).last()?;
        let mut arguments = call["arguments"].take();
        // On the surface `meta`, a tool gets the arguments of the operation beside its name.
        if is_meta {
            arguments = arguments["args"].take();
        }
        Some(Self { arguments, answer })
    }

    /// Whether parts of the answer are left out.
    pub(crate) fn is_abridged(&self) -> bool {
        self.answer.contains(ANYTHING)
    }
}

/// Whether a model is that of the server that gave the answers.
pub(crate) fn is_shipped_server(model: &Model) -> bool {
    model.server.name == SERVER
}

/// Whether a block of the guide names an operation that the model lacks. A name that the example itself calls is what
/// it is about.
pub(crate) fn names_unknown_operation(model: &Model, block: &str) -> bool {
    let (calls, shown) = match block.trim_start().strip_prefix(COMMENT.0) {
        Some(rest) => rest.split_once(COMMENT.1).unwrap_or(("", rest)),
        None => ("", block),
    };
    let called: Vec<&str> = operation_ids(calls).collect();
    let mut named = operation_ids(shown).filter(|id| !called.contains(id));
    named.any(|id| model.operations.iter().all(|operation| operation.id != id))
}

/// The words that have the form of the id of an operation.
fn operation_ids(text: &str) -> impl Iterator<Item = &str> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let words = text.split(move |c| !is_inside(c)).map(|word| word.trim_matches('.'));
    words.filter(|word| {
        let is_plain = word.chars().all(|c| c.is_ascii_lowercase() || "._-".contains(c));
        let is_file = matches!(word.split('.').next_back(), Some("md" | "canvas" | "base"));
        is_plain && word.contains('.') && !word.contains("..") && !is_file
    })
}

#[cfg(test)]
mod tests {
    use super::operation_ids;

    #[test]
    fn ids_are_told_from_files_and_numbers() {
        let text = "Use vault.search. `plugin.smart-connections.search` reads \"Inbox.md\", \"plan.canvas\" and [a](audit.md#x) of \
                    127.0.0.1 .. \"..\" \"signature\": \"vault.read(path)\"";
        let found: Vec<&str> = operation_ids(text).collect();
        assert_eq!(found, ["vault.search", "plugin.smart-connections.search", "vault.read"]);
    }
}
