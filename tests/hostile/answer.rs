//! What a message deserves, the same through both doors.

use serde_json::{Value, json};
use toolwrit_tests::client::CallResult;

#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// -32700, with the parser's words.
    NotJson(&'static str),
    /// -32700 before the text is looked at as JSON.
    NotText(&'static str),
    /// -32600 to the request of this id, if it has one.
    Invalid(Value, &'static str),
    /// -32601, with the name of the method.
    NoMethod(&'static str),
    /// -32602.
    BadParams(&'static str),
    /// A result.
    Result(Value),
    /// A result that is a failure: its code and its message.
    Failure(&'static str, &'static str),
    /// A notification: HTTP says 202, a line gets no answer.
    Accepted,
    /// What no line is answered for, and HTTP refuses with these words.
    Ignored(&'static str),
}

impl Answer {
    /// HTTP's status.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::NotJson(_) | Self::NotText(_) | Self::Invalid(..) | Self::Ignored(_) => 400,
            Self::Accepted => 202,
            _ => 200,
        }
    }

    /// Whether a line gets none.
    pub(crate) fn is_silence(&self) -> bool {
        matches!(self, Self::Accepted | Self::Ignored(_))
    }

    /// Fails unless this is what came, which is null for nothing.
    pub(crate) fn check(&self, came: &Value, shown: &str) {
        let error = |id: &Value, code: i64, message: &str| {
            let mut answer = json!({"jsonrpc": "2.0"});
            if !id.is_null() {
                answer["id"] = id.clone();
            }
            answer["error"] = json!({"code": code, "message": message});
            answer
        };
        let expected = match self {
            Self::NotJson(why) => error(&Value::Null, -32700, &format!("not JSON: {why}")),
            Self::NotText(why) => error(&Value::Null, -32700, why),
            Self::Invalid(id, why) => error(id, -32600, why),
            Self::Ignored(why) => error(&Value::Null, -32600, why),
            Self::NoMethod(name) => error(&1.into(), -32601, name),
            Self::BadParams(why) => error(&1.into(), -32602, why),
            Self::Result(result) => json!({"jsonrpc": "2.0", "id": 1, "result": result}),
            Self::Accepted => Value::Null,
            Self::Failure(code, message) => {
                let error = CallResult(came["result"].clone()).error();
                assert_eq!((&error["code"], &error["message"]), (&json!(code), &json!(message)));
                return;
            }
        };
        assert_eq!(*came, expected, "{shown}");
    }
}
