//! The expected answer to a message, over both transports.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::CallResult;

#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// -32700, with the parser's message.
    NotJson(&'static str),
    /// -32700 before the text is parsed as JSON.
    NotText(&'static str),
    /// -32600 to the request with this id, if it has one.
    Invalid(Value, &'static str),
    /// -32601, with the name of the method.
    NoMethod(&'static str),
    /// -32602.
    BadParams(&'static str),
    /// A successful result.
    Result(Value),
    /// A result that is a failure, with its code and message.
    Failure(&'static str, &'static str),
    /// No answer to a notification; over HTTP the status 202.
    Accepted,
    /// No answer to a line; over HTTP a refusal with this message.
    Ignored(&'static str),
}

impl Answer {
    /// The status over HTTP.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::NotJson(_) | Self::NotText(_) | Self::Invalid(..) | Self::Ignored(_) => 400,
            Self::Accepted => 202,
            _ => 200,
        }
    }

    /// Whether a line gets no answer.
    pub(crate) fn is_silence(&self) -> bool {
        matches!(self, Self::Accepted | Self::Ignored(_))
    }

    /// Fails unless the received answer is this one; null for none.
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
            Self::NoMethod(name) => {
                error(&1.into(), -32601, &format!("there is no method `{name}`"))
            }
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
