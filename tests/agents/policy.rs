//! The scripted agent. It looks for a tool with the words of a task, takes the first one whose parameters fit the values of the
//! task, and corrects a value as an error says. Where no search is offered, it ranks the listed tools by the same words.

use serde_json::{Map, Value, json};

use super::caller::{Caller, Cost};
use super::rank::{has_most, rank};
use super::tasks::Task;
use super::worlds::{Served, Surface};

/// Tools that are looked at, and calls of one of them.
const MOST_TOOLS: usize = 5;
const MOST_TRIES: usize = 3;

/// A tool, or an operation within one.
struct Candidate {
    tool: String,
    /// How the operation is named within the tool: the parameter, its value, and the parameter of the arguments.
    within: Option<(&'static str, String, &'static str)>,
    schema: Value,
}

impl Candidate {
    fn listed(tool: &Value) -> Self {
        Self { tool: text(&tool["name"]), within: None, schema: tool["inputSchema"].clone() }
    }

    /// Whether all that it requires is among the values, and all values are among its parameters.
    fn fits(&self, values: &Map<String, Value>) -> bool {
        let required = self.schema["required"].as_array().into_iter().flatten();
        let mut required = required.filter_map(Value::as_str);
        required.all(|name| values.contains_key(name))
            && values.keys().all(|name| self.schema["properties"].get(name).is_some())
    }

    fn arguments(&self, values: &Map<String, Value>) -> Value {
        match &self.within {
            Some((named, name, inner)) => json!({ *named: name, *inner: values }),
            None => json!(values),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Does a task. Returns what it has read last, and the costs.
pub(crate) fn run(task: &Task, surface: Surface, served: &mut Served) -> (String, Cost) {
    let mut caller = Caller { client: &mut served.client, cost: Cost::default() };
    let said = match surface {
        Surface::Flat => try_all(task, flat(task, &served.tools), &mut caller),
        Surface::Dispatch => {
            let found = dispatch(task, &served.tools, &mut caller);
            try_all(task, found, &mut caller)
        }
        Surface::Meta => meta(task, &served.tools, &mut caller),
        Surface::Pinned => try_all(task, pinned(task, &served.tools), &mut caller)
            .or_else(|| meta(task, &served.tools, &mut caller)),
    };
    (said.unwrap_or_default(), caller.cost)
}

/// The name of one of the surface's own tools, which some servers begin with their prefix.
fn named(tools: &[Value], name: &str) -> String {
    let mut names = tools.iter().map(|tool| text(&tool["name"]));
    names.find(|tool| tool.ends_with(name)).unwrap_or_default()
}

/// Calls the first candidates that fit until one succeeds.
fn try_all(task: &Task, candidates: Vec<Candidate>, caller: &mut Caller<'_>) -> Option<String> {
    let mut fitting = candidates.into_iter().filter(|candidate| candidate.fits(&task.values));
    fitting.find_map(|candidate| attempt(task, &candidate, caller))
}

/// Calls a candidate, again with each correction that an error offers.
fn attempt(task: &Task, candidate: &Candidate, caller: &mut Caller<'_>) -> Option<String> {
    let mut values = task.values.clone();
    for _ in 0..MOST_TRIES {
        let result = caller.call(&candidate.tool, &candidate.arguments(&values));
        if !result.is_error() {
            return Some(result.text().to_owned());
        }
        let error = result.error();
        let meant = error["did_you_mean"].get(0)?.clone();
        let wrong = if let Some(path) = error["path"].as_str() {
            path.rsplit('/').next().unwrap_or_default().to_owned()
        } else {
            // The message quotes the value that was not found.
            let message = text(&error["message"]);
            let is_quoted =
                |value: &Value| value.as_str().is_some_and(|value| message.contains(value));
            values.iter().find(|(_, value)| is_quoted(value))?.0.clone()
        };
        values.insert(wrong, meant);
    }
    None
}

/// The listed tools, the likeliest first.
fn flat(task: &Task, tools: &[Value]) -> Vec<Candidate> {
    let texts: Vec<String> = tools.iter().map(described).collect();
    let order = rank(&task.words, &texts);
    order.into_iter().take(MOST_TOOLS).map(|at| Candidate::listed(&tools[at])).collect()
}

fn described(tool: &Value) -> String {
    let operations = &tool["inputSchema"]["properties"]["operation"]["enum"];
    format!("{} {} {operations}", text(&tool["name"]), text(&tool["description"]))
}

/// The operations of the likeliest tools, by their descriptions.
fn dispatch(task: &Task, tools: &[Value], caller: &mut Caller<'_>) -> Vec<Candidate> {
    let texts: Vec<String> = tools.iter().map(described).collect();
    let order = rank(&task.words, &texts);
    let discover = named(tools, "discover");
    let categories = caller.call(&discover, &json!({})).json();
    let mut found = Vec::new();
    for tool in order.into_iter().take(2).map(|at| &tools[at]) {
        let Some(operations) = tool["inputSchema"]["properties"]["operation"]["enum"].as_array()
        else {
            found.push(Candidate::listed(tool));
            continue;
        };
        let has_all = |names: &Value| {
            let has = |name: &Value| names.as_array().is_some_and(|names| names.contains(name));
            operations.iter().all(has)
        };
        let mut categories = categories.as_object().unwrap().iter();
        let Some((category, _)) = categories.find(|(_, names)| has_all(names)) else { continue };
        let asked = json!({ "category": category, "detail": "schemas" });
        let described = caller.call(&discover, &asked).json();
        let listed = described[category].as_array().unwrap();
        let listed: Vec<&Value> = listed.iter().filter(|one| one["tool"] == tool["name"]).collect();
        let texts: Vec<String> = listed
            .iter()
            .map(|one| format!("{} {} {}", one["id"], one["summary"], one["description"]))
            .collect();
        found.extend(rank(&task.words, &texts).into_iter().take(MOST_TOOLS).map(|at| {
            let name = text(&listed[at]["id"]);
            let name = name.split_once('.').map_or(name.clone(), |(_, name)| name.to_owned());
            Candidate {
                tool: text(&tool["name"]),
                within: Some(("operation", name, "params")),
                schema: listed[at]["parameters"].clone(),
            }
        }));
    }
    found
}

/// Searches with the words of the task, then with the whole request, and describes what is found until something fits.
fn meta(task: &Task, tools: &[Value], caller: &mut Caller<'_>) -> Option<String> {
    let mut queries = [&task.words, &task.ask].into_iter();
    queries.find_map(|query| search(task, query, tools, caller))
}

fn search(task: &Task, query: &str, tools: &[Value], caller: &mut Caller<'_>) -> Option<String> {
    let (search, describe) = (named(tools, "search_tools"), named(tools, "describe_tools"));
    let found = caller.call(&search, &json!({ "query": query, "limit": MOST_TOOLS })).json();
    for line in found["results"].as_array().into_iter().flatten() {
        // `git.git_log(..) -> ..` is `git.git_log`.
        let id = text(line).split('(').next().unwrap_or_default().to_owned();
        let described = caller.call(&describe, &json!({ "tools": [id] })).json();
        let described = &described["tools"][0];
        let tool = text(&described["tool"]);
        // An operation that is pinned is a tool of its own.
        let within = tool.contains("execute_").then_some(("tool", id, "args"));
        let candidate = Candidate { tool, within, schema: described["parameters"].clone() };
        if candidate.fits(&task.values)
            && let Some(said) = attempt(task, &candidate, caller)
        {
            return Some(said);
        }
    }
    None
}

/// The tools beside those of the surface, if their texts have most words of the task.
fn pinned(task: &Task, tools: &[Value]) -> Vec<Candidate> {
    let own = ["search_tools", "describe_tools", "execute_read", "execute_write", "execute_delete"];
    let pins = tools.iter().filter(|tool| {
        !own.iter().any(|name| tool["name"].as_str().is_some_and(|tool| tool.ends_with(name)))
    });
    let likely = pins.filter(|tool| has_most(&task.words, &described(tool)));
    likely.map(Candidate::listed).collect()
}
