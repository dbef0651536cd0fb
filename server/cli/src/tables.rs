//! Tables of a manifest that was read from a file, with what surfaces need: the policy, and how each
//! operation is listed. They do not support calls, searches or operations that join. They are leaked, because
//! the process runs only one command.

use toolwrit_core::authority::{
    Budget, Category, DeclaredProvider, Effect, Field, FocusMode, MergedOperation, MergedTool,
    Name, Operation, Presence, Returns, Role, Served, ServerInfo, Source, Tables,
};
use toolwrit_manifest::{self as manifest, Authority, Model, OperationId, policy, signature, wire};

/// Builds the tables of a manifest.
pub(super) fn tables(authority: &Authority) -> &'static Tables<'static> {
    let model: &Model = authority;
    let operations: Vec<Operation<'static>> =
        model.operations.iter().map(|own| operation(model, own)).collect();
    Box::leak(Box::new(Tables {
        server: server(model),
        budget: Budget {
            flat: model.budget.flat,
            dispatch: model.budget.dispatch,
            meta: model.budget.meta,
        },
        concurrency: model.limits.concurrency,
        timeout: model.limits.timeout,
        session_calls: model.limits.session_calls,
        categories: list(model.categories.iter().map(category)),
        merged_tools: list(model.merged.iter().map(|tool| merged(model, tool))),
        removed_tools: &[],
        joining: &[],
        names: names(model, &operations),
        operations: operations.leak(),
        focus: list(model.focus.iter().map(|mode| FocusMode {
            name: text(&mode.name),
            summary: mode.summary.as_deref().map(text),
            joining: &[],
        })),
        roles: list(model.role_ids().map(|id| Role {
            name: text(&model[id].name),
            summary: model[id].summary.as_deref().map(text),
            persona: model[id].persona.as_deref().map(text),
            operations: set(model, |operation| policy::role_allows(model, id, operation)),
            joining: &[],
        })),
        policy: allowed(model),
        contexts: &[],
        providers: list(model.providers.iter().map(|provider| DeclaredProvider {
            name: text(&provider.name),
            title: text(&provider.title),
            summary: text(&provider.summary),
            api: None,
        })),
        errors: &[],
        resources: &[],
        prompts: &[],
        cookbooks: &[],
        sources: list(
            authority
                .sources()
                .iter()
                .map(|file| Source { path: text(&file.path), text: text(&file.text) }),
        ),
    }))
}

fn text(text: &str) -> &'static str {
    text.to_owned().leak()
}

fn list<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    items.collect::<Vec<T>>().leak()
}

/// A position as a number; manifests have far fewer items than this type can hold.
fn position(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}

fn prefix(model: &Model) -> String {
    match model.server.prefix.as_str() {
        "" => String::new(),
        prefix => format!("{prefix}_"),
    }
}

fn server(model: &Model) -> ServerInfo<'static> {
    let server = &model.server;
    ServerInfo {
        name: text(&server.name),
        title: server.title.as_deref().map(text),
        version: "",
        instructions: server.instructions.as_deref().map(text),
        prefix: prefix(model).leak(),
        logging: server.logging,
    }
}

fn category(category: &manifest::Category) -> Category<'static> {
    Category {
        name: text(&category.name),
        title: text(&category.title),
        summary: text(&category.summary),
        keywords: list(category.keywords.iter().map(|word| text(word))),
        wire_name: text(&category.wire_name),
        direct: category.direct,
    }
}

fn operation(model: &Model, own: &manifest::Operation) -> Operation<'static> {
    Operation {
        id: text(&own.id),
        name: text(&own.name),
        wire_name: format!("{}{}", prefix(model), own.wire_name).leak(),
        category: position(own.category.index()),
        summary: text(&own.summary),
        description: own.description.as_deref().map(text),
        effect: match own.effect {
            manifest::Effect::Read => Effect::Read,
            manifest::Effect::Write => Effect::Write,
            manifest::Effect::Destroy => Effect::Destroy,
        },
        idempotent: own.idempotent,
        open_world: own.open_world,
        overwrites: own.overwrites,
        inputs: list(model.inputs(own).iter().map(field)),
        input_schema: wire::input_schema(model, own).leak(),
        returns: returns(model, own),
        served: served(&own.served),
        signature: signature::signature(model, own).leak(),
        tags: list(own.tags.iter().map(|tag| text(tag))),
        requires: own.requires.map(|provider| position(provider.index())),
        ..Operation::BARE
    }
}

/// The name of a parameter and whether it is required; listings need no more.
fn field(field: &manifest::Field) -> Field<'static> {
    let presence = match field.presence {
        manifest::Presence::Required => Presence::Required,
        manifest::Presence::Optional | manifest::Presence::Default(_) => Presence::Optional,
    };
    Field { name: text(&field.name), presence, ..Field::REQUIRED }
}

fn returns(model: &Model, own: &manifest::Operation) -> Returns<'static> {
    let schema = || wire::output_schema(model, own).unwrap_or_default().leak();
    match &own.returns {
        manifest::Returns::Text => Returns::Text,
        manifest::Returns::Content => Returns::Content,
        manifest::Returns::Resource => Returns::Resource,
        manifest::Returns::Messages => Returns::Messages,
        manifest::Returns::Value(shape) => match model.resolve(shape) {
            manifest::Shape::Record(_) | manifest::Shape::Map(_) => Returns::Object(schema()),
            _ => Returns::Wrapped(schema()),
        },
    }
}

fn served(served: &manifest::Served) -> Served<'static> {
    match served {
        manifest::Served::Tool => Served::Tool,
        manifest::Served::Resource(id) => Served::Resource(position(id.index())),
        manifest::Served::Prompt(id) => Served::Prompt(position(id.index())),
        manifest::Served::Completion { of, argument } => {
            Served::Completion { of: position(of.index()), argument: text(argument) }
        }
    }
}

fn merged(model: &Model, tool: &manifest::MergedTool) -> MergedTool<'static> {
    MergedTool {
        name: format!("{}{}", prefix(model), tool.name).leak(),
        title: text(&tool.title),
        summary: text(&tool.summary),
        by: text(&tool.by),
        operations: list(tool.operations.iter().map(|(value, id)| MergedOperation {
            value: text(value),
            operation: position(id.index()),
        })),
    }
}

/// Ids, wire names and short names, sorted for binary search.
fn names(model: &Model, operations: &[Operation<'static>]) -> &'static [Name<'static>] {
    let short = model.operations.iter().enumerate();
    let short = short.filter_map(|(at, own)| Some((text(own.short_name()?), at)));
    let mut names: Vec<(&str, usize)> = short.collect();
    for (at, operation) in operations.iter().enumerate() {
        names.push((operation.id, at));
        if operation.served == Served::Tool {
            names.push((operation.wire_name, at));
        }
    }
    names.sort_unstable();
    list(names.into_iter().map(|(name, at)| Name { name, operation: position(at), alias: None }))
}

/// For each focus mode and each role, the operations that both allow.
fn allowed(model: &Model) -> &'static [&'static [&'static [u64]]] {
    list(model.focus_ids().map(|focus| {
        list(model.role_ids().map(|role| {
            set(model, |operation| {
                policy::focus_allows(model, focus, operation)
                    && policy::role_allows(model, role, operation)
            })
        }))
    }))
}

/// A bit set of operations: 64 per word, the lowest bit first.
fn set(model: &Model, holds: impl Fn(OperationId) -> bool) -> &'static [u64] {
    let mut words = vec![0; model.operations.len().div_ceil(64)];
    for operation in model.operation_ids().filter(|id| holds(*id)) {
        words[operation.index() / 64] |= 1 << (operation.index() % 64);
    }
    words.leak()
}
