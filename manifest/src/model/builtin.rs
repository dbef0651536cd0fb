//! What the operations are like that the engine carries out itself: their texts, parameters and results.

use toolwrit_words::{Builtin, Effect};

use super::{Field, Presence, Shape};

/// Its summary, if the manifest gives none.
pub(crate) fn summary(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Introspect => "Describe this server, and what you may do.",
        Builtin::ListRoles => "List the roles that calls may have.",
        Builtin::LoadRole => "Read a role's instructions, and how to call under it.",
        Builtin::ListCookbooks => "List the guides to workflows.",
        Builtin::GetCookbook => "Read the guide to a workflow.",
        Builtin::BatchGet => "Run up to 20 reads at once.",
        Builtin::Metrics => "Count calls, errors, durations and tokens.",
        Builtin::SeedTestData => "Restore the sample data.",
    }
}

/// Its description, if it needs one and the manifest gives none.
pub(crate) fn description(builtin: Builtin) -> Option<&'static str> {
    match builtin {
        Builtin::Introspect => Some("Also what is withheld and why."),
        Builtin::LoadRole => {
            Some("It changes nothing: pass the role with each call, as the answer says.")
        }
        Builtin::GetCookbook => Some("Markdown; also an MCP prompt."),
        Builtin::BatchGet => Some("Each as if called alone, with a result or an error."),
        Builtin::SeedTestData => Some("Nothing that exists is changed."),
        Builtin::ListRoles | Builtin::ListCookbooks | Builtin::Metrics => None,
    }
}

/// Its parameters.
pub(crate) fn params(builtin: Builtin) -> Vec<Field> {
    match builtin {
        Builtin::LoadRole => vec![name("role", "A role of list_roles.")],
        Builtin::GetCookbook => vec![name("name", "A guide of list_cookbooks.")],
        Builtin::BatchGet => vec![calls()],
        _ => Vec::new(),
    }
}

/// Its result.
pub(crate) fn returns(builtin: Builtin) -> Shape {
    match builtin {
        Builtin::Introspect => introspection(),
        Builtin::ListRoles => Shape::Record(vec![
            required("role", text(), "The role in force."),
            required("roles", list(role(Vec::new())), "The roles."),
        ]),
        Builtin::LoadRole => role(vec![
            optional("persona", text(), "Its instructions for a model."),
            required("allowed", Shape::Map(Box::new(list(text()))), "By category."),
            required("pass", Shape::Map(Box::new(text())), "How to call under this role."),
        ]),
        Builtin::ListCookbooks => {
            let guides = list(Shape::Record(cookbook()));
            Shape::Record(vec![required("cookbooks", guides, "The guides.")])
        }
        Builtin::GetCookbook => {
            let mut fields = cookbook();
            fields.push(required("text", text(), "The guide, in Markdown."));
            Shape::Record(fields)
        }
        Builtin::BatchGet => Shape::Record(vec![required(
            "results",
            list(Shape::Record(vec![
                required("tool", text(), "The operation, as it was called."),
                optional("result", Shape::Json, "Its result."),
                optional("error", Shape::Json, "Why it failed."),
            ])),
            "In the order of the calls.",
        )]),
        Builtin::Metrics => metrics(),
        Builtin::SeedTestData => Shape::Record(vec![required(
            "created",
            list(text()),
            "What was missing and has been created.",
        )]),
    }
}

fn introspection() -> Shape {
    Shape::Record(vec![
        required("server", text(), "Its name."),
        optional("title", text(), "Its name for people."),
        required("version", text(), "Its version."),
        required("surface", text(), "How its operations are offered."),
        optional("split", text(), "How the tools of the surface are split."),
        required("focus", text(), "The focus mode in force."),
        required("role", text(), "The role in force."),
        required("writes", Shape::Boolean, "Whether anything but reads may run."),
        required(
            "categories",
            list(category()),
            "The categories with operations that you may use.",
        ),
        required("operations", by_effect(), "How many operations you may use, by effect."),
        required("withheld", list(withheld()), "Operations that exist but cannot be used now."),
        required("providers", list(provider()), "What operations need, and whether it is there."),
    ])
}

fn category() -> Shape {
    Shape::Record(vec![
        required("name", text(), "Its name."),
        required("summary", text(), "What it is for."),
        required("operations", count(), "How many of its operations you may use."),
    ])
}

/// Numbers of operations.
fn by_effect() -> Shape {
    let field = |effect: Effect| {
        required(effect.as_str(), count(), &format!("Those with the effect {}.", effect.as_str()))
    };
    Shape::Record(Effect::ALL.map(field).into())
}

/// Operations that cannot be used for one reason.
fn withheld() -> Shape {
    Shape::Record(vec![
        required("reason", text(), "The error code of their calls."),
        required("count", count(), "How many there are."),
        optional("remedy", text(), "What would make them available."),
        required("operations", list(text()), "The first of them."),
    ])
}

fn provider() -> Shape {
    Shape::Record(vec![
        required("name", text(), "Its name."),
        optional("title", text(), "Its name for people."),
        required("available", Shape::Boolean, "Whether it can be used."),
        optional("reason", text(), "Why it cannot be used."),
        optional("remedy", text(), "What would make it available."),
        optional("version", text(), "Its version."),
        optional(
            "instructions",
            text(),
            "How its operations are used, as the operator has approved it.",
        ),
        optional("problems", list(text()), "What of it cannot be used, and why."),
    ])
}

fn metrics() -> Shape {
    Shape::Record(vec![
        required("since", Shape::DateTime, "When counting began."),
        required("calls", count(), "All calls."),
        required("errors", count(), "Those that failed."),
        required("operations", list(calls_of_one()), "By operation, the most called first."),
        required("listings", listings(), "Tokens of your tool listings, and of full ones."),
    ])
}

/// The calls of one operation.
fn calls_of_one() -> Shape {
    Shape::Record(vec![
        required("operation", text(), "Its id."),
        required("calls", count(), "All calls."),
        required("errors", count(), "Those that failed."),
        required("average_ms", number(), "Milliseconds of a call, on average."),
        required("longest_ms", number(), "Milliseconds of the longest call."),
    ])
}

fn listings() -> Shape {
    Shape::Record(vec![
        required("requests", count(), "Listings that were sent."),
        optional("sent_tokens", count(), "Their tokens, if the server counts tokens."),
        optional("full_tokens", count(), "The tokens of full listings in their place."),
        optional("reduction_percent", number(), "By how much the sent ones are smaller."),
    ])
}

/// The fields of a role, and further ones.
fn role(more: Vec<Field>) -> Shape {
    let mut fields = vec![
        required("name", text(), "Its name."),
        optional("summary", text(), "What it is for."),
        required("operations", by_effect(), "How many operations it leaves, by effect."),
    ];
    fields.extend(more);
    Shape::Record(fields)
}

fn cookbook() -> Vec<Field> {
    vec![
        required("name", text(), "Its name."),
        required("summary", text(), "What it helps with."),
        required("operations", list(text()), "The operations that it uses."),
    ]
}

/// The calls of a [`Builtin::BatchGet`].
fn calls() -> Field {
    let call = Shape::Record(vec![
        name("tool", "The read, such as in describe_tools."),
        optional("args", Shape::Map(Box::new(Shape::Json)), "Its arguments."),
    ]);
    let shape = Shape::Array {
        items: Box::new(call),
        min_items: Some(1),
        max_items: Some(Builtin::MOST_CALLS),
    };
    required("calls", shape, "The reads.")
}

/// A parameter that is a name.
fn name(name: &str, description: &str) -> Field {
    let shape = Shape::String { min_length: Some(1), max_length: Some(100), pattern: None };
    required(name, shape, description)
}

fn required(name: &str, shape: Shape, description: &str) -> Field {
    Field::added(name, shape, Presence::Required, description)
}

fn optional(name: &str, shape: Shape, description: &str) -> Field {
    Field::added(name, shape, Presence::Optional, description)
}

fn list(items: Shape) -> Shape {
    Shape::Array { items: Box::new(items), min_items: None, max_items: None }
}

fn text() -> Shape {
    Shape::String { min_length: None, max_length: None, pattern: None }
}

fn number() -> Shape {
    Shape::Number { min: None, max: None }
}

fn count() -> Shape {
    Shape::Integer { format: super::IntegerFormat::default(), min: None, max: None }
}
