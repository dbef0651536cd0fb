//! A client of one replica or of the balancer. Its requests are those of the stateless revision, so that any replica may answer.

use std::net::SocketAddr;
use std::time::Duration;

use crate::drivers::client::{CallResult, Era};
use crate::drivers::http::message;
use serde_json::{Value, json};

/// Longer than any answer takes, also while a program restarts.
const PATIENCE: Duration = Duration::from_mins(1);

/// The answer of the server, or what came in its place: another status, or the failure of the connection.
pub type Heard = Result<Value, String>;

#[derive(Clone)]
pub struct Caller {
    agent: ureq::Agent,
    url: String,
    asks: bool,
}

impl Caller {
    pub fn of(address: SocketAddr) -> Self {
        let config = ureq::Agent::config_builder().timeout_global(Some(PATIENCE));
        let agent = config.http_status_as_error(false).build().into();
        Self { agent, url: format!("http://{address}/mcp/flat"), asks: true }
    }

    /// A client that cannot ask its user.
    #[must_use]
    pub fn without_user(&self) -> Self {
        Self { asks: false, ..self.clone() }
    }

    /// Sends a request, for a client that knows tasks.
    pub fn try_request(&self, method: &str, params: Value) -> Heard {
        let (mut body, headers) = message(Era::Stateless, method, params);
        let mut capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        if self.asks {
            capabilities["elicitation"] = json!({});
        }
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        let post = self.agent.post(&self.url).header("content-type", "application/json");
        let post = post.header("accept", "application/json, text/event-stream");
        // A task is named in a header, as a tool is.
        let task = body["params"]["taskId"].as_str().map(|id| ("mcp-name", id.to_owned()));
        let headers: Vec<_> = headers.into_iter().chain(task).collect();
        let post = headers.iter().fold(post, |post, (name, value)| post.header(*name, value));
        let sent = post.send(body.to_string());
        let read = sent.and_then(|mut response| {
            Ok((response.status().as_u16(), response.body_mut().read_to_string()?))
        });
        match read {
            Ok((200, body)) => Ok(answer_of(&body)),
            Ok((status, body)) => Err(format!("{status}: {body}")),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Sends a request, which must be answered.
    pub fn request(&self, method: &str, params: Value) -> Value {
        self.try_request(method, params).unwrap_or_else(|failed| panic!("{method}: {failed}"))
    }

    /// Calls a tool; the answer must be a result, which may be a failure or a question.
    pub fn call(&self, tool: &str, arguments: &Value) -> CallResult {
        self.result(json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool with an idempotency key.
    pub fn keyed(&self, tool: &str, arguments: &Value, key: &str) -> CallResult {
        self.result(keyed(tool, arguments, key))
    }

    /// Sends the parameters of a call, which must have a result.
    pub fn result(&self, params: Value) -> CallResult {
        let mut answer = self.request("tools/call", params);
        assert!(answer.get("result").is_some(), "{answer}");
        CallResult(answer["result"].take())
    }
}

/// The parameters of a call with an idempotency key.
pub fn keyed(tool: &str, arguments: &Value, key: &str) -> Value {
    json!({"name": tool, "arguments": arguments, "_meta": {"toolwrit/idempotencyKey": key}})
}

/// The answer in a body, which may be a stream that ends with it.
fn answer_of(body: &str) -> Value {
    let last = body.lines().filter_map(|line| line.strip_prefix("data:")).next_back();
    serde_json::from_str(last.unwrap_or(body)).unwrap_or_else(|error| panic!("{error}: {body}"))
}
