//! The environment variables that set flags. Those of a server begin with a word of its own, so that what is set for one server does
//! not change another: `LIBRARY_ROLE` where the flags declare `TOOLWRIT_ROLE`.

use std::borrow::Cow;
use std::env;
use std::sync::OnceLock;

/// What the declared variables begin with, which are those of Toolwrit's own server.
pub(crate) const TOOLWRIT: &str = "TOOLWRIT_";
/// Variables of Toolwrit that also count for a server without its own, because they restrict, or say where things are.
const COMMON: [&str; 9] = [
    "CONCURRENCY",
    "DATA_DIR",
    "LOG",
    "PER_CALLER",
    "QUEUE",
    "RATE",
    "READ_ONLY",
    "SESSION_CALLS",
    "TIMEOUT",
];

/// The first word of this server's variables.
static WORD: OnceLock<&'static str> = OnceLock::new();

/// Sets the first word of the variables of the server that this process runs. The first call counts.
pub(crate) fn name_variables(word: &'static str) {
    WORD.get_or_init(|| word);
}

/// The variable to read in place of a declared one.
pub(crate) fn variable(declared: &str) -> Cow<'_, str> {
    match (WORD.get(), declared.strip_prefix(TOOLWRIT)) {
        (Some(word), Some(name)) => {
            let own = format!("{word}_{name}");
            let is_common = COMMON.contains(&name) && !is_set(&own) && is_set(declared);
            if is_common { declared.into() } else { own.into() }
        }
        _ => declared.into(),
    }
}

/// Whether a variable has a value.
pub(crate) fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// The value of a variable; empty if it has none.
pub(crate) fn value(variable: &str) -> String {
    env::var_os(variable).unwrap_or_default().to_string_lossy().into_owned()
}
