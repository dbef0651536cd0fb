//! What an operation does to the API, guessed from its method and its name.

/// An effect, and why it was guessed if the method alone does not say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effect {
    /// `read`, `write` or `destroy`.
    pub(crate) word: &'static str,
    pub(crate) why: Option<&'static str>,
    /// Repeating it changes nothing.
    pub(crate) is_idempotent: bool,
    /// It replaces what was there.
    pub(crate) overwrites: bool,
}

const DESTROYING: [&str; 8] =
    ["delete", "remove", "destroy", "purge", "erase", "wipe", "drop", "revoke"];
const CHANGING: [&str; 12] = [
    "create", "add", "update", "set", "put", "edit", "send", "start", "stop", "cancel", "move",
    "reset",
];
const READING: [&str; 6] = ["search", "query", "find", "lookup", "list", "count"];

/// The effect of an operation with this method and the words of its name; `last` is the last part of its path.
pub(crate) fn guess_effect(method: &str, words: &[String], last: &str) -> Effect {
    let begins = |verbs: &[&str]| words.first().is_some_and(|word| verbs.contains(&word.as_str()));
    let plain = |word, why| Effect { word, why, is_idempotent: false, overwrites: false };
    match method {
        "get" if begins(&DESTROYING) => {
            plain("destroy", Some("a GET whose name says that it deletes"))
        }
        "get" if begins(&CHANGING) => {
            plain("write", Some("a GET whose name says that it changes something"))
        }
        "get" => plain("read", None),
        "delete" => Effect {
            is_idempotent: true,
            ..plain("destroy", Some("a DELETE; if it deletes nothing for good, it is a write"))
        },
        _ if begins(&DESTROYING) => plain("destroy", Some("its name says that it deletes")),
        "post" if begins(&READING) || READING.contains(&last) => {
            plain("read", Some("a POST whose name says that it only reads"))
        }
        "put" => Effect {
            is_idempotent: true,
            overwrites: true,
            ..plain("write", Some("a PUT replaces what was there, and may be repeated"))
        },
        "patch" => Effect {
            overwrites: true,
            ..plain("write", Some("a PATCH may replace what was there"))
        },
        _ => plain("write", Some("a POST may also only read, or delete")),
    }
}
