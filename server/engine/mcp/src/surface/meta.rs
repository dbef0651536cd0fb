//! `meta`: a few tools for any number of operations. Their descriptions say how to use them together, and name
//! the categories with their keywords, because models ignore generic descriptions.

use serde_json::Map;

use super::descriptor::{Hints, ToolDescriptor, schema};
use super::{Split, SurfaceTool, ToolTarget};
use toolwrit_core::authority::{Category, Effect, Operation};
use toolwrit_core::policy::Policy;

const NOTHING: &str =
    r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#;
const SEARCH: &str = r#"{"type":"object","properties":{"query":{"type":"string"},"category":{"type":"string"},"limit":{"type":"integer"}},"required":[],"additionalProperties":false}"#;
const DESCRIBE: &str = r#"{"type":"object","properties":{"tools":{"type":"array","items":{"type":"string"}}},"required":["tools"],"additionalProperties":false}"#;
/// Execute tools also accept `focus` and `role`, which few clients need.
const EXECUTE: &str = r#"{"type":"object","properties":{"tool":{"type":"string"},"args":{"type":"object"}},"required":["tool"],"additionalProperties":false}"#;
const MESSAGE: &str = r#"{"type":"object","properties":{"message":{"type":"string"},"previous":{"type":"object"}},"required":[],"additionalProperties":false}"#;

/// Keywords of one category in the description of the search tool.
const KEYWORDS: usize = 4;
/// Bytes of the categories and keywords in that description. They bound its tokens without a tokenizer, so
/// that the listing is the same in every build.
const VOCABULARY: usize = 120;

pub(super) fn tools(policy: &Policy, split: Split) -> Vec<SurfaceTool> {
    let visible: Vec<&Operation> = policy.visible().map(|(_, o)| o).collect();
    let mut tools = vec![
        query_tool(
            policy,
            "introspect",
            ToolTarget::Introspect,
            "The server, your focus mode and role, and the categories.",
            NOTHING,
        ),
        query_tool(
            policy,
            "search_tools",
            ToolTarget::Search,
            &format!(
                "First find an operation: say what it should do. Answers signatures.{}",
                vocabulary(policy, &visible)
            ),
            SEARCH,
        ),
        query_tool(
            policy,
            "describe_tools",
            ToolTarget::Describe,
            "Parameters and examples by id, if a signature is not enough.",
            DESCRIBE,
        ),
    ];
    match split {
        Split::None => tools.push(execute(policy, None, &visible)),
        Split::Effect => {
            tools.extend(Effect::ALL.map(|effect| execute(policy, Some(effect), &visible)));
        }
    }
    tools.push(query_tool(
        policy,
        "context",
        ToolTarget::Context,
        "Operations for a user's message; without a message, all of them.",
        MESSAGE,
    ));
    tools
}

fn query_tool(
    policy: &Policy,
    name: &str,
    target: ToolTarget,
    description: &str,
    input: &str,
) -> SurfaceTool {
    let name = format!("{}{name}", policy.tables().server.prefix);
    let descriptor = ToolDescriptor {
        name: name.clone(),
        title: None,
        description: description.to_owned(),
        input_schema: schema(input),
        output_schema: None,
        hints: Hints::READ_ONLY,
        passed: Map::new(),
    };
    SurfaceTool { name, target, descriptor: Some(descriptor) }
}

fn execute(policy: &Policy, effect: Option<Effect>, visible: &[&Operation]) -> SurfaceTool {
    let prefix = &policy.tables().server.prefix;
    let (name, what) = match effect {
        None => (format!("{prefix}execute"), "an operation"),
        Some(effect) => (
            format!("{prefix}execute_{}", effect.verb()),
            match effect {
                Effect::Read => "a read",
                Effect::Write => "a write",
                Effect::Destroy => "a delete",
            },
        ),
    };
    let covered: Vec<&Operation> =
        visible.iter().copied().filter(|o| effect.is_none_or(|e| o.effect == e)).collect();
    let descriptor = (!covered.is_empty()).then(|| ToolDescriptor {
        name: name.clone(),
        title: None,
        description: format!("Then run {what}: its id as `tool`, `args` as in its signature."),
        input_schema: schema(EXECUTE),
        output_schema: None,
        hints: Hints::combine(covered),
        passed: Map::new(),
    });
    SurfaceTool { name, target: ToolTarget::Execute { effect }, descriptor }
}

/// ` Categories: vault (note, file); web (page); 3 more.`: the visible categories with their keywords, as far as
/// they fit. Every category gets its name before any gets a keyword, and its first keyword before any gets a
/// second.
fn vocabulary(policy: &Policy, visible: &[&Operation]) -> String {
    let present = |(index, _): &(usize, &Category)| {
        visible.iter().any(|operation| usize::from(operation.category) == *index)
    };
    let categories = policy.tables().categories.iter().enumerate().filter(present);
    let categories: Vec<&Category> = categories.map(|(_, category)| category).collect();
    let mut shown: Vec<Vec<&str>> = Vec::new();
    let fits = |shown: &[Vec<&str>]| written(shown, categories.len()).len() <= VOCABULARY;
    for category in &categories {
        shown.push(vec![&category.name]);
        if !fits(&shown) {
            shown.pop();
            break;
        }
    }
    for round in 0..KEYWORDS {
        for at in 0..shown.len() {
            let Some(keyword) = categories[at].keywords.get(round) else { continue };
            shown[at].push(keyword);
            if !fits(&shown) {
                shown[at].pop();
            }
        }
    }
    match written(&shown, categories.len()) {
        nothing if nothing.is_empty() => nothing,
        words => format!(" Categories: {words}."),
    }
}

/// Writes categories, each with its keywords, and how many others there are.
fn written(shown: &[Vec<&str>], of: usize) -> String {
    let category = |words: &Vec<&str>| match words.as_slice() {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [name, keywords @ ..] => format!("{name} ({})", keywords.join(", ")),
    };
    let mut parts: Vec<String> = shown.iter().map(category).collect();
    if shown.len() < of {
        parts.push(format!("{} more", of - shown.len()));
    }
    parts.join("; ")
}
