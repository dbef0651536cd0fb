//! Entry points for the fuzzer, besides the public API. Only in its builds, which set `cfg(fuzzing)`.

use serde_json::{Map, Value};

use toolwrit_core::arguments;
use toolwrit_core::fault::Result;
use toolwrit_core::policy::Selector;
use toolwrit_core::toolset::Tools;
use toolwrit_mcp::line;

pub use toolwrit_core::fits;

/// Binds arguments to the parameters of an operation.
///
/// # Errors
/// As for a call.
///
/// # Panics
/// If there is no such operation.
pub fn bind<T: Tools>(operation: &str, values: Map<String, Value>) -> Result<()> {
    let mut operations = T::compiled_authority().tables().operations.iter();
    let operation = operations.find(|found| found.id == operation);
    let Some(operation) = operation else { panic!("no such operation") };
    arguments::bind(&operation.inputs, values).map(drop)
}

/// Returns the operations that a selector of the command line matches; `None` if it is not valid.
pub fn selected<T: Tools>(text: &str) -> Option<Vec<String>> {
    let tables = T::compiled_authority().tables();
    let selector = Selector::parse(tables, text).ok()?;
    let selected = tables.operations.iter().filter(|operation| selector.matches(operation));
    Some(selected.map(|operation| operation.id.to_owned()).collect())
}

/// A parsed line.
#[derive(Debug)]
pub enum Line {
    /// A message, serialized again.
    Message(Value),
    /// Nothing to act on.
    Nothing,
    /// Not a message. The sender gets this error.
    Bad {
        /// The code of the JSON-RPC error.
        code: i64,
        /// The message for people.
        message: String,
    },
}

/// Parses one line.
///
/// # Panics
/// If a message cannot be serialized again.
pub fn line(bytes: &[u8]) -> Line {
    let message = |message| match serde_json::to_value(message) {
        Ok(message) => Line::Message(message),
        Err(error) => panic!("{error}"),
    };
    match line::parse(bytes) {
        line::Line::Call(call) => message(call.into_message()),
        line::Line::Message(other) => message(*other),
        line::Line::Nothing => Line::Nothing,
        line::Line::Bad(error, _) => {
            Line::Bad { code: error.code.0.into(), message: error.message.into_owned() }
        }
    }
}
