//! Resources and prompts as operations: reads in the categories `resources` and `prompts`, so that
//! the same rules govern them.

mod arguments;
pub(super) mod cookbooks;
pub(super) mod prompts;
pub(super) mod resources;

use crate::check::names::served::{PROMPTS, RESOURCES, categories, id};
use crate::diagnostics::{Problem, Report};
use crate::model::{
    Argument, Category, CategoryId, Effect, EnumValue, Field, Model, Operation, OperationId,
    Presence, PromptId, ResourceId, Returns, Served, Shape,
};
use crate::raw::RawManifest;
use crate::rust_names::value_name;

/// Adds these categories.
pub(super) fn add_categories(raw: &RawManifest, categories: &mut Vec<Category>) {
    categories.extend(self::categories(raw).into_iter().map(|name| Category {
        title: if name == RESOURCES { "Resources" } else { "Prompts" }.to_owned(),
        summary: format!("The {name} that clients see."),
        keywords: Vec::new(),
        synonyms: Vec::new(),
        wire_name: name.to_owned(),
        direct: false,
        instance: None,
        providers: Vec::new(),
        name: name.to_owned(),
    }));
}

/// Reports declared categories that use these names.
pub(super) fn check(raw: &RawManifest, report: &mut Report) {
    let added = categories(raw);
    let declared = raw.categories.iter().map(|entry| (&entry.key, entry.key.value.as_str()));
    let operations = raw.operations.iter().map(|entry| {
        (&entry.key, entry.key.value.split_once('.').map_or("", |(category, _)| category))
    });
    for (key, category) in declared.chain(operations) {
        if added.contains(&category) {
            report.push(
                Problem::error(key.place, format!("the category name `{category}` is reserved"))
                    .help(format!("it holds the manifest's {category}; choose another name")),
            );
        }
    }
}

/// The operations of all resources, of all prompts, and then the completions of both.
pub(super) fn operations(raw: &RawManifest, model: &Model) -> Vec<Operation> {
    let position = |name: &str| model.categories.iter().position(|known| known.name == name);
    let (resources, prompts) = (position(RESOURCES), position(PROMPTS));
    let resources = model.resources.iter().enumerate().map(|(at, resource)| ServedEntry {
        category: resources.map_or(CategoryId(0), CategoryId),
        family: RESOURCES,
        name: &resource.name,
        summary: &resource.summary,
        arguments: &resource.variables,
        tags: &resource.tags,
        returns: Returns::Resource,
        served: Served::Resource(ResourceId(at)),
    });
    let prompts = model.prompts.iter().enumerate().map(|(at, prompt)| ServedEntry {
        category: prompts.map_or(CategoryId(0), CategoryId),
        family: PROMPTS,
        name: &prompt.name,
        summary: &prompt.summary,
        arguments: &prompt.arguments,
        tags: &prompt.tags,
        returns: Returns::Messages,
        served: Served::Prompt(PromptId(at)),
    });
    let sources: Vec<ServedEntry<'_>> = resources.chain(prompts).collect();
    let first = raw.operations.len();
    let completions: Vec<Operation> = sources
        .iter()
        .enumerate()
        .flat_map(|(at, source)| source.completions(OperationId(first + at)))
        .collect();
    sources.into_iter().map(ServedEntry::operation).chain(completions).collect()
}

/// What a resource and a prompt have in common.
struct ServedEntry<'a> {
    category: CategoryId,
    family: &'static str,
    name: &'a str,
    summary: &'a str,
    arguments: &'a [Argument],
    tags: &'a [String],
    returns: Returns,
    served: Served,
}

impl ServedEntry<'_> {
    fn operation(self) -> Operation {
        let params = self.arguments.iter().map(field).collect();
        Operation {
            tags: self.tags.to_vec(),
            ..read(self.category, self.family, self.name.to_owned(), self.summary.to_owned())
        }
        .with(params, self.returns, self.served)
    }

    /// A read for each argument that a handler completes.
    fn completions(&self, of: OperationId) -> impl Iterator<Item = Operation> {
        self.arguments.iter().filter(|argument| argument.complete).map(move |argument| {
            let name = format!("complete_{}_{}", value_name(self.name), value_name(&argument.name));
            let summary = format!("Suggests values for `{}` of `{}`.", argument.name, self.name);
            let any = || Shape::String { min_length: None, max_length: None, pattern: None };
            let list = Shape::Array { items: Box::new(any()), min_items: None, max_items: None };
            let params = vec![
                Field::added("value", any(), Presence::Required, "What has been typed so far."),
                Field::added(
                    "arguments",
                    Shape::Map(Box::new(any())),
                    Presence::Required,
                    "The arguments that are filled in already.",
                ),
            ];
            let served = Served::Completion { of, argument: argument.name.clone() };
            read(self.category, self.family, name, summary).with(
                params,
                Returns::Value(list),
                served,
            )
        })
    }
}

fn field(argument: &Argument) -> Field {
    let shape = if argument.values.is_empty() {
        Shape::String { min_length: None, max_length: None, pattern: None }
    } else {
        Shape::Enum(argument.values.iter().map(|value| EnumValue::plain(value)).collect())
    };
    let presence = if argument.required { Presence::Required } else { Presence::Optional };
    Field {
        name: argument.name.clone(),
        shape,
        presence,
        description: argument.description.clone(),
        example: None,
        sensitive: false,
        nullable: false,
        separate: false,
    }
}

/// A read with default settings.
fn read(category: CategoryId, family: &str, name: String, summary: String) -> Operation {
    let id = id(family, &name);
    Operation {
        wire_name: id.clone(),
        id,
        name,
        category,
        summary,
        description: None,
        builtin: None,
        binding: None,
        effect: Effect::Read,
        idempotent: true,
        open_world: Some(false),
        overwrites: false,
        params: Vec::new(),
        returns: Returns::Text,
        served: Served::Tool,
        select: false,
        page: None,
        cache: None,
        invalidates: Vec::new(),
        timeout: None,
        concurrency: None,
        result_bytes: None,
        requires: None,
        errors: Vec::new(),
        confirm: false,
        retry: None,
        task: None,
        dry_run: false,
        aliases: Vec::new(),
        deprecated: None,
        asks: Vec::new(),
        examples: Vec::new(),
        tags: Vec::new(),
    }
}

impl Operation {
    fn with(self, params: Vec<Field>, returns: Returns, served: Served) -> Self {
        Self { params, returns, served, ..self }
    }
}
