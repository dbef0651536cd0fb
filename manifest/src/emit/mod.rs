//! Writes a model back as one YAML file without short forms.

mod operation;
mod shape;
mod value;

use serde_json::{Map, Value, json};

use crate::model::{
    Argument, Binding, BindingKind, Category, DeclaredContext, FocusMode, Gap, MergedTool, Model,
    Prompt, PromptText, Provider, RemovedTool, Resource, Role, Selector, TypeDef, Verb, Weighted,
};
use operation::operation;
use shape::{Beside, shape};
use value::{object_by_name, period, present_entries};

/// Returns a manifest that loads to the same model, with the files of its cookbooks. The model must come from a load. Shapes that the
/// language cannot express, such as a list of lists of unnamed objects, cannot be written.
#[expect(clippy::expect_used, clippy::missing_panics_doc, reason = "YAML can hold any JSON value")]
pub fn to_yaml(model: &Model) -> String {
    let mut root = Map::new();
    root.insert("toolwrit".to_owned(), json!(1));
    root.insert("server".to_owned(), server(model));
    root.insert("limits".to_owned(), limits(model));
    let budget = present_entries([
        ("flat", model.budget.flat.map(Value::from)),
        ("dispatch", model.budget.dispatch.map(Value::from)),
        ("meta", model.budget.meta.map(Value::from)),
    ]);
    root.insert("budget".to_owned(), budget);
    let lists = [
        (
            "types",
            object_by_name(&model.types, |definition| {
                (&definition.name, type_def(model, definition))
            }),
        ),
        (
            "categories",
            object_by_name(declared_categories(model), |entry| {
                (&entry.name, category(model, entry))
            }),
        ),
        ("focus", object_by_name(&model.focus, |mode| (&mode.name, focus(model, mode)))),
        ("roles", object_by_name(&model.roles, |entry| (&entry.name, role(model, entry)))),
        ("contexts", object_by_name(&model.contexts, |entry| (&entry.name, context(model, entry)))),
        ("verbs", verbs(&model.verbs)),
        ("gaps", gaps(&model.gaps)),
        ("providers", object_by_name(&model.providers, |entry| (&entry.name, provider(entry)))),
        (
            "errors",
            object_by_name(&model.errors, |error| {
                let fields = present_entries([
                    ("summary", Some(json!(error.summary))),
                    ("hint", error.hint.as_ref().map(|text| json!(text))),
                    ("retryable", error.retryable.then_some(Value::Bool(true))),
                ]);
                (&error.name, fields)
            }),
        ),
        ("operations", object_by_name(model.tools(), |entry| (&entry.id, operation(model, entry)))),
        ("tools", object_by_name(&model.merged, |entry| (&entry.name, merged(model, entry)))),
        ("removed", object_by_name(&model.removed, |entry| (&entry.name, removed(model, entry)))),
        ("resources", object_by_name(&model.resources, |entry| (&entry.name, resource(entry)))),
        ("prompts", object_by_name(declared_prompts(model), |entry| (&entry.name, prompt(entry)))),
        (
            "cookbooks",
            object_by_name(cookbook_prompts(model), |entry| (&entry.name, cookbook(model, entry))),
        ),
    ];
    root.extend(lists.into_iter().map(|(key, list)| (key.to_owned(), list)));
    serde_yaml::to_string(&Value::Object(root)).expect("the manifest can be written as YAML")
}

fn verbs(verbs: &[Verb]) -> Value {
    let mut classes: Map<String, Value> = Map::new();
    for Verb { class, phrase } in verbs {
        let phrases = classes.entry(class.as_str()).or_insert_with(|| json!([]));
        phrases.as_array_mut().into_iter().for_each(|phrases| phrases.push(json!(phrase)));
    }
    Value::Object(classes)
}

fn gaps(gaps: &[Gap]) -> Value {
    gaps.iter().map(|Gap { note, asks }| json!({ "note": note, "asks": asks })).collect()
}

fn provider(provider: &Provider) -> Value {
    let (key, written) = binding(provider.binding.as_ref());
    let settings = provider.settings.iter().map(|setting| {
        let name =
            if setting.optional { format!("{}?", setting.name) } else { setting.name.clone() };
        let keys = present_entries([
            ("type", Some(json!(setting.ty.as_str()))),
            ("sensitive", Some(json!(setting.sensitive))),
            ("per", setting.per_account.then(|| json!("account"))),
            ("description", setting.description.as_ref().map(|text| json!(text))),
            ("example", setting.example.clone()),
        ]);
        (name, keys)
    });
    present_entries([
        ("title", Some(json!(provider.title))),
        ("summary", Some(json!(provider.summary))),
        ("settings", Some(settings.collect::<Map<_, _>>().into())),
        (key, written),
    ])
}

/// The key of a binding, and what is written there.
fn binding(binding: Option<&Binding>) -> (&'static str, Option<Value>) {
    let kind = binding.map_or(BindingKind::Http, |binding| binding.kind);
    (kind.as_str(), binding.map(|binding| binding.written.clone()))
}

fn server(model: &Model) -> Value {
    let server = &model.server;
    present_entries([
        ("name", Some(json!(server.name))),
        ("title", server.title.as_ref().map(|text| json!(text))),
        ("summary", server.summary.as_ref().map(|text| json!(text))),
        ("instructions", server.instructions.as_ref().map(|text| json!(text))),
        ("prefix", Some(json!(server.prefix))),
        ("env", Some(json!(server.env))),
        ("logging", Some(json!(server.logging))),
        ("serde", server.serde.then_some(Value::Bool(true))),
    ])
}

fn limits(model: &Model) -> Value {
    let limits = &model.limits;
    present_entries([
        ("timeout", Some(period(limits.timeout))),
        ("concurrency", Some(json!(limits.concurrency))),
        ("result_bytes", Some(json!(limits.result_bytes))),
        ("session_calls", limits.session_calls.map(Value::from)),
    ])
}

fn type_def(model: &Model, definition: &TypeDef) -> Value {
    let beside = Beside {
        description: definition.description.as_ref(),
        example: definition.example.as_ref(),
        sensitive: definition.sensitive,
        nullable: false,
        separate: false,
        default: None,
    };
    shape(model, &definition.shape, beside)
}

fn category(model: &Model, category: &Category) -> Value {
    let synonyms = category.synonyms.iter().map(|(word, also)| (word.clone(), json!(also)));
    let synonyms: Map<String, Value> = synonyms.collect();
    let providers = category.providers.iter();
    let providers = providers.map(|(id, most)| (model[*id].name.clone(), json!(most.as_str())));
    let providers: Map<String, Value> = providers.collect();
    let mut entry = json!({
        "title": category.title,
        "summary": category.summary,
        "keywords": category.keywords,
        "synonyms": synonyms,
        "tool": category.wire_name,
        "direct": category.direct,
        "providers": providers,
    });
    if let Some(parameter) = &category.instance {
        entry["instance"] = parameter.as_str().into();
    }
    entry
}

fn focus(model: &Model, mode: &FocusMode) -> Value {
    present_entries([
        ("summary", mode.summary.as_ref().map(|text| json!(text))),
        ("allow", Some(selectors(model, &mode.allow))),
        ("deny", Some(selectors(model, &mode.deny))),
    ])
}

fn role(model: &Model, role: &Role) -> Value {
    present_entries([
        ("summary", role.summary.as_ref().map(|text| json!(text))),
        ("extends", role.extends.map(|id| json!(model[id].name))),
        ("allow", Some(selectors(model, &role.allow))),
        ("deny", Some(selectors(model, &role.deny))),
        ("persona", role.persona.as_ref().map(|text| json!(text))),
    ])
}

fn context(model: &Model, context: &DeclaredContext) -> Value {
    let words = |words: &[Weighted<String>]| -> Value {
        words.iter().map(|word| weighted("keyword", &word.sign, word.weight)).collect()
    };
    let patterns = context.patterns.iter().map(|p| weighted("pattern", p.sign.as_str(), p.weight));
    json!({
        "subjects": words(&context.subjects),
        "keywords": words(&context.keywords),
        "patterns": patterns.collect::<Value>(),
        "threshold": context.threshold,
        "include": selectors(model, &context.include),
    })
}

fn weighted(key: &str, sign: &str, weight: f64) -> Value {
    json!({ key: sign, "weight": weight })
}

fn selectors(model: &Model, selectors: &[Selector]) -> Value {
    let one = |selector: &Selector| match selector {
        Selector::All => json!("*"),
        Selector::Category(id) => json!(model[*id].name),
        Selector::Group(id, group) => json!(format!("{}.{group}.*", model[*id].name)),
        Selector::Operation(id) => json!(model[*id].id),
        Selector::Where { effect, tag, category } => present_entries([
            ("effect", effect.map(|effect| json!(effect.as_str()))),
            ("tag", tag.as_ref().map(|tag| json!(tag))),
            ("category", category.map(|id| json!(model[id].name))),
        ]),
    };
    selectors.iter().map(one).collect()
}

fn merged(model: &Model, tool: &MergedTool) -> Value {
    let operations =
        tool.operations.iter().map(|(value, id)| (value.clone(), json!(model[*id].id)));
    json!({
        "title": tool.title,
        "summary": tool.summary,
        "by": tool.by,
        "operations": operations.collect::<Map<_, _>>(),
    })
}

fn removed(model: &Model, tool: &RemovedTool) -> Value {
    present_entries([
        ("note", Some(json!(tool.note))),
        ("use", tool.replacement.map(|id| json!(model[id].id))),
    ])
}

fn resource(resource: &Resource) -> Value {
    present_entries([
        ("uri", Some(json!(resource.uri))),
        ("title", resource.title.as_ref().map(|text| json!(text))),
        ("summary", Some(json!(resource.summary))),
        ("mime_type", resource.mime_type.as_ref().map(|text| json!(text))),
        ("variables", Some(arguments(&resource.variables))),
        ("subscribe", Some(json!(resource.subscribe))),
        ("tags", Some(json!(resource.tags))),
    ])
}

fn prompt(prompt: &Prompt) -> Value {
    present_entries([
        ("title", prompt.title.as_ref().map(|text| json!(text))),
        ("summary", Some(json!(prompt.summary))),
        ("arguments", Some(arguments(&prompt.arguments))),
        (
            "template",
            match &prompt.text {
                Some(PromptText::Template(text)) => Some(json!(text)),
                Some(PromptText::Cookbook(_)) | None => None,
            },
        ),
        ("tags", Some(json!(prompt.tags))),
    ])
}

/// The prompts without those of cookbooks.
fn declared_prompts(model: &Model) -> impl Iterator<Item = &Prompt> {
    model.prompts.iter().filter(|prompt| !matches!(prompt.text, Some(PromptText::Cookbook(_))))
}

fn cookbook_prompts(model: &Model) -> impl Iterator<Item = &Prompt> {
    model.prompts.iter().filter(|prompt| matches!(prompt.text, Some(PromptText::Cookbook(_))))
}

fn cookbook(model: &Model, prompt: &Prompt) -> Value {
    let Some(PromptText::Cookbook(id)) = &prompt.text else { return Value::Null };
    let cookbook = &model[*id];
    present_entries([
        ("title", prompt.title.as_ref().map(|text| json!(text))),
        ("summary", Some(json!(cookbook.summary))),
        ("file", Some(json!(cookbook.file))),
        ("operations", Some(cookbook.operations.iter().map(|id| json!(model[*id].id)).collect())),
        ("tags", Some(json!(prompt.tags))),
    ])
}

fn arguments(arguments: &[Argument]) -> Value {
    let one = |argument: &Argument| {
        let mark = if argument.required { "" } else { "?" };
        let value = present_entries([
            ("description", argument.description.as_ref().map(|text| json!(text))),
            ("values", (!argument.values.is_empty()).then(|| json!(argument.values))),
            ("complete", argument.complete.then_some(Value::Bool(true))),
        ]);
        (format!("{}{mark}", argument.name), value)
    };
    Value::Object(arguments.iter().map(one).collect())
}

/// The declared categories, without those added for resources and prompts.
fn declared_categories(model: &Model) -> &[Category] {
    let added = usize::from(!model.resources.is_empty()) + usize::from(!model.prompts.is_empty());
    &model.categories[..model.categories.len() - added]
}
