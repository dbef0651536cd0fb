//! The errors that a model reads when a call is not made.

use serde_json::{Value, json};
use toolwrit_text::nearest;
use toolwrit_words::Code;

use super::limits::{Limit, Limits};

/// A code, and the error as JSON.
pub(super) type Fault = (String, Value);

/// The error for a name that no tool has. `hint` says where the known ones are.
pub(super) fn tool_not_found(name: &str, known: impl Iterator<Item = String>, hint: &str) -> Fault {
    let known: Vec<String> = known.collect();
    let close = nearest::closest(name, known.iter().map(String::as_str));
    let message = format!("There is no tool {name}.");
    let mut error =
        json!({ "code": Code::ToolNotFound.as_str(), "message": message, "hint": hint });
    if !close.is_empty() {
        error["did_you_mean"] = json!(close);
    }
    (Code::ToolNotFound.to_string(), json!({ "error": error }))
}

pub(super) fn not_an_object(arguments: &Value) -> Fault {
    let got = match arguments {
        Value::String(_) => "text that is not JSON",
        Value::Array(_) => "an array",
        _ => "another value",
    };
    fault(
        &Code::ValidationError,
        &format!("The arguments are {got}; expected a JSON object."),
        "Call again with an object.",
    )
}

pub(super) fn limit_exceeded(limit: Limit, limits: &Limits) -> Fault {
    fault(
        &Code::LimitExceeded,
        &format!("{}.", limit.describe(limits)),
        "Answer with what you have.",
    )
}

/// A call that carries more calls than a limit leaves.
pub(super) fn too_many_carried(limit: Limit, limits: &Limits, carried: u32) -> Fault {
    let message = format!("{}, with the {carried} calls in this one.", limit.describe(limits));
    fault(
        &Code::LimitExceeded,
        &message,
        "Call with fewer calls in it, or answer with what you have.",
    )
}

pub(super) fn too_many_identical(times: u32) -> Fault {
    let message = format!("This call was made {times} times in this turn with the same arguments.");
    fault(&Code::LimitExceeded, &message, "Use the earlier result, or change the arguments.")
}

pub(super) fn result_too_large(bytes: usize, most: usize) -> Fault {
    let message = format!("The result has {bytes} bytes; at most {most} are possible.");
    fault(
        &Code::ResultTooLarge,
        &message,
        "Ask for less: a smaller page, fewer fields, or a part of it.",
    )
}

fn fault(code: &Code, message: &str, hint: &str) -> Fault {
    (
        code.to_string(),
        json!({ "error": { "code": code.as_str(), "message": message, "hint": hint } }),
    )
}
