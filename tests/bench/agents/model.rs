//! An agent with a model behind any endpoint that is compatible with chat completions of `OpenAI`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::agents::caller::{Caller, Cost, tokens};
use crate::agents::tasks::Task;
use crate::agents::worlds::Served;

/// Responses of a model for a task.
const MOST_ROUNDS: usize = 12;
/// How long a model may take for one of them.
const PATIENCE: Duration = Duration::from_mins(10);

/// Where the model is.
pub(crate) struct Endpoint {
    base: String,
    key: String,
    pub(crate) model: String,
}

impl Endpoint {
    /// The endpoint of the variables `OPENAI_BASE_URL`, `OPENAI_MODEL` and `OPENAI_API_KEY`; `None` without an address.
    pub(crate) fn from_environment() -> Option<Self> {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let base = std::env::var("OPENAI_BASE_URL").ok()?;
        let base = base.trim_end_matches('/').to_owned();
        Some(Self { base, key: variable("OPENAI_API_KEY"), model: variable("OPENAI_MODEL") })
    }

    fn ask(&self, messages: &[Value], tools: &[Value]) -> Result<Value, String> {
        let body = json!({ "model": self.model, "messages": messages, "tools": tools });
        let answer = ureq::post(format!("{}/chat/completions", self.base))
            .header("authorization", format!("Bearer {}", self.key))
            .content_type("application/json")
            .config()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .build()
            .send(body.to_string());
        let mut answer = answer.map_err(|error| error.to_string())?;
        let answer = answer.body_mut().read_to_string().map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        if answer["choices"][0]["message"].is_object() {
            Ok(answer)
        } else {
            Err(answer.to_string())
        }
    }
}

/// Does a task. Returns the last words of the model, or why it did not answer, and the costs.
pub(crate) fn run(task: &Task, endpoint: &Endpoint, served: &mut Served) -> (String, Cost) {
    let tools: Vec<Value> = served.tools.iter().map(function).collect();
    let mut caller = Caller { client: &mut served.client, cost: Cost::default() };
    let mut messages = vec![json!({ "role": "user", "content": task.ask })];
    let mut spent = 0;
    let mut said = String::new();
    for _ in 0..MOST_ROUNDS {
        let answer = match endpoint.ask(&messages, &tools) {
            Ok(answer) => answer,
            Err(why) => {
                said = why;
                break;
            }
        };
        let message = &answer["choices"][0]["message"];
        let counted = answer["usage"]["total_tokens"].as_u64();
        spent += counted.map_or_else(
            || tokens(&json!([messages, tools, message])),
            |counted| usize::try_from(counted).unwrap_or(usize::MAX),
        );
        messages.push(message.clone());
        message["content"].as_str().unwrap_or_default().clone_into(&mut said);
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        if calls.is_empty() {
            break;
        }
        for call in calls {
            let content = carry_out(&call["function"], &mut caller, &tools);
            messages
                .push(json!({ "role": "tool", "tool_call_id": call["id"], "content": content }));
        }
    }
    (said, Cost { tokens: spent, ..caller.cost })
}

/// Makes a call of the model. Returns what the model reads.
fn carry_out(function: &Value, caller: &mut Caller<'_>, tools: &[Value]) -> String {
    let name = function["name"].as_str().unwrap_or_default();
    let arguments = function["arguments"].as_str().map(serde_json::from_str::<Value>);
    match arguments {
        _ if !tools.iter().any(|tool| tool["function"]["name"] == name) => {
            caller.cost.calls += 1;
            caller.cost.errors += 1;
            format!("There is no tool {name}.")
        }
        Some(Ok(arguments)) => caller.call(name, &arguments).0["content"].to_string(),
        _ => {
            caller.cost.calls += 1;
            caller.cost.errors += 1;
            "The arguments are not JSON.".to_owned()
        }
    }
}

fn function(tool: &Value) -> Value {
    let function = json!({
        "name": tool["name"], "description": tool["description"], "parameters": tool["inputSchema"],
    });
    json!({ "type": "function", "function": function })
}
