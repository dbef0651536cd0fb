//! `meta`: a few tools for any number of operations. Their descriptions carry the categories' keywords,
//! because models ignore generic descriptions.

use super::descriptor::{Hints, ToolDescriptor, schema};
use super::{Split, SurfaceTool, ToolTarget};
use toolwrit_core::authority::{Category, Effect, Operation};
use toolwrit_core::policy::Policy;

const NOTHING: &str =
    r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#;
const SEARCH: &str = r#"{"type":"object","properties":{"query":{"type":"string"},"category":{"type":"string"},"limit":{"type":"integer"}},"required":[],"additionalProperties":false}"#;
const DESCRIBE: &str = r#"{"type":"object","properties":{"tools":{"type":"array","items":{"type":"string"}}},"required":["tools"],"additionalProperties":false}"#;
const EXECUTE: &str = r#"{"type":"object","properties":{"tool":{"type":"string"},"args":{"type":"object"},"focus":{"type":"string"},"role":{"type":"string"}},"required":["tool"],"additionalProperties":false}"#;
const MESSAGE: &str = r#"{"type":"object","properties":{"message":{"type":"string"},"previous":{"type":"object"}},"required":["message"],"additionalProperties":false}"#;

/// Keywords of one category in the search tool's description.
const KEYWORDS: usize = 4;
/// Categories whose vocabulary the search tool's description carries.
const CATEGORIES: usize = 12;

pub(super) fn tools(policy: &Policy, split: Split) -> Vec<SurfaceTool> {
    let visible: Vec<&Operation<'_>> = policy.visible().map(|(_, o)| o).collect();
    let about = vocabulary(policy, &visible);
    let mut tools = vec![
        query_tool(
            policy,
            "introspect",
            ToolTarget::Introspect,
            "Server, focus mode, categories.",
            NOTHING,
        ),
        query_tool(
            policy,
            "search_tools",
            ToolTarget::Search,
            &format!("Find operations: {about}."),
            SEARCH,
        ),
        query_tool(
            policy,
            "describe_tools",
            ToolTarget::Describe,
            "Parameters and examples by id.",
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
        "Operations for a message.",
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
    };
    SurfaceTool { name, target, descriptor: Some(descriptor) }
}

fn execute(policy: &Policy, effect: Option<Effect>, visible: &[&Operation<'_>]) -> SurfaceTool {
    let prefix = policy.tables().server.prefix;
    let (name, description) = match effect {
        None => (format!("{prefix}execute"), "Run an operation by id."),
        Some(effect) => (
            format!("{prefix}execute_{}", effect.verb()),
            match effect {
                Effect::Read => "Run a read.",
                Effect::Write => "Run a write.",
                Effect::Destroy => "Run a delete.",
            },
        ),
    };
    let covered: Vec<&Operation<'_>> =
        visible.iter().copied().filter(|o| effect.is_none_or(|e| o.effect == e)).collect();
    let descriptor = (!covered.is_empty()).then(|| ToolDescriptor {
        name: name.clone(),
        title: None,
        description: description.to_owned(),
        input_schema: schema(EXECUTE),
        output_schema: None,
        hints: Hints::of(covered),
    });
    SurfaceTool { name, target: ToolTarget::Execute { effect }, descriptor }
}

/// `vault (note, file, folder); web (page, url)`: the visible categories with their keywords.
fn vocabulary(policy: &Policy, visible: &[&Operation<'_>]) -> String {
    let present = |(index, _): &(usize, &Category<'_>)| {
        visible.iter().any(|operation| usize::from(operation.category) == *index)
    };
    let categories = policy.tables().categories.iter().enumerate().filter(present);
    let words = categories.take(CATEGORIES).map(|(_, category)| {
        let keywords: Vec<&str> = category.keywords.iter().take(KEYWORDS).copied().collect();
        if keywords.is_empty() {
            category.name.to_owned()
        } else {
            format!("{} ({})", category.name, keywords.join(", "))
        }
    });
    words.collect::<Vec<_>>().join("; ")
}
