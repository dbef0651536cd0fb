//! Writes a model back as one YAML file without short forms.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::model::{
    Alias, Argument, ArgumentPath, Caching, Category, DeclaredContext, EnumValue, Field, FocusMode,
    IntegerFormat, Mapping, MergedTool, Model, Operation, Presence, Prompt, PromptText,
    RemovedTool, Resource, Returns, Role, Selector, Shape, Task, TypeDef, whole,
};

/// Returns a manifest that loads to the same model, with the files of its cookbooks. The model must come from a load. Shapes that the
/// language cannot express, such as a list of lists of unnamed objects, cannot be written.
pub fn to_yaml(model: &Model) -> String {
    let mut root = Map::new();
    root.insert("toolwrit".to_owned(), json!(1));
    root.insert("server".to_owned(), server(model));
    root.insert("limits".to_owned(), limits(model));
    let budget = given([
        ("flat", model.budget.flat.map(Value::from)),
        ("dispatch", model.budget.dispatch.map(Value::from)),
        ("meta", model.budget.meta.map(Value::from)),
    ]);
    root.insert("budget".to_owned(), budget);
    let lists = [
        (
            "types",
            named(&model.types, |definition| (&definition.name, type_def(model, definition))),
        ),
        (
            "categories",
            named(declared_categories(model), |entry| (&entry.name, category(model, entry))),
        ),
        ("focus", named(&model.focus, |mode| (&mode.name, focus(model, mode)))),
        ("roles", named(&model.roles, |entry| (&entry.name, role(model, entry)))),
        ("contexts", named(&model.contexts, |entry| (&entry.name, context(model, entry)))),
        (
            "providers",
            named(&model.providers, |provider| {
                (&provider.name, json!({ "title": provider.title, "summary": provider.summary }))
            }),
        ),
        (
            "errors",
            named(&model.errors, |error| {
                let fields = given([
                    ("summary", Some(json!(error.summary))),
                    ("hint", error.hint.as_ref().map(|text| json!(text))),
                    ("retryable", error.retryable.then_some(Value::Bool(true))),
                ]);
                (&error.name, fields)
            }),
        ),
        ("operations", named(model.tools(), |entry| (&entry.id, operation(model, entry)))),
        ("tools", named(&model.merged, |entry| (&entry.name, merged(model, entry)))),
        ("removed", named(&model.removed, |entry| (&entry.name, removed(model, entry)))),
        ("resources", named(&model.resources, |entry| (&entry.name, resource(entry)))),
        ("prompts", named(declared_prompts(model), |entry| (&entry.name, prompt(entry)))),
        (
            "cookbooks",
            named(cookbook_prompts(model), |entry| (&entry.name, cookbook(model, entry))),
        ),
    ];
    root.extend(lists.into_iter().map(|(key, list)| (key.to_owned(), list)));
    // YAML can hold any JSON value.
    serde_yaml::to_string(&Value::Object(root)).unwrap_or_default()
}

fn server(model: &Model) -> Value {
    let server = &model.server;
    given([
        ("name", Some(json!(server.name))),
        ("title", server.title.as_ref().map(|text| json!(text))),
        ("instructions", server.instructions.as_ref().map(|text| json!(text))),
        ("prefix", Some(json!(server.prefix))),
        ("logging", Some(json!(server.logging))),
        ("serde", server.serde.then_some(Value::Bool(true))),
    ])
}

fn limits(model: &Model) -> Value {
    let limits = &model.limits;
    given([
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
    json!({
        "title": category.title,
        "summary": category.summary,
        "keywords": category.keywords,
        "synonyms": synonyms,
        "tool": category.wire_name,
        "direct": category.direct,
        "providers": providers,
    })
}

fn focus(model: &Model, mode: &FocusMode) -> Value {
    given([
        ("summary", mode.summary.as_ref().map(|text| json!(text))),
        ("allow", Some(selectors(model, &mode.allow))),
        ("deny", Some(selectors(model, &mode.deny))),
    ])
}

fn role(model: &Model, role: &Role) -> Value {
    given([
        ("summary", role.summary.as_ref().map(|text| json!(text))),
        ("extends", role.extends.map(|id| json!(model[id].name))),
        ("allow", Some(selectors(model, &role.allow))),
        ("deny", Some(selectors(model, &role.deny))),
        ("persona", role.persona.as_ref().map(|text| json!(text))),
    ])
}

fn context(model: &Model, context: &DeclaredContext) -> Value {
    let keywords = context.keywords.iter().map(|k| weighted("keyword", &k.sign, k.weight));
    let patterns = context.patterns.iter().map(|p| weighted("pattern", p.sign.as_str(), p.weight));
    json!({
        "keywords": keywords.collect::<Value>(),
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
        Selector::Where { effect, tag, category } => given([
            ("effect", effect.map(|effect| json!(effect.as_str()))),
            ("tag", tag.as_ref().map(|tag| json!(tag))),
            ("category", category.map(|id| json!(model[id].name))),
        ]),
    };
    selectors.iter().map(one).collect()
}

fn operation(model: &Model, operation: &Operation) -> Value {
    let flag = |on: bool| on.then_some(Value::Bool(true));
    let asks = (!operation.asks.is_empty()).then(|| json!(operation.asks));
    // The engine's operations have their own.
    let own = |value: Value| operation.builtin.is_none().then_some(value);
    let tags = (!operation.tags.is_empty()).then(|| json!(operation.tags));
    given([
        ("summary", Some(json!(operation.summary))),
        ("description", operation.description.as_ref().map(|text| json!(text))),
        ("builtin", operation.builtin.map(|builtin| json!(builtin.as_str()))),
        ("effect", own(json!(operation.effect.as_str()))),
        ("idempotent", own(json!(operation.idempotent))),
        ("open_world", flag(operation.open_world)),
        ("overwrites", flag(operation.overwrites)),
        ("params", own(fields(model, &operation.params))),
        (
            "returns",
            match &operation.returns {
                Returns::Value(returns) => own(shape(model, returns, Beside::default())),
                other => other.word().map(Value::from),
            },
        ),
        ("select", flag(operation.select)),
        ("page", operation.page.map(|page| json!({ "default": page.default, "max": page.max }))),
        ("cache", operation.cache.map(cache)),
        ("invalidates", invalidates(model, operation)),
        ("timeout", operation.timeout.map(period)),
        ("retry", operation.retry.map(Value::from)),
        ("concurrency", operation.concurrency.map(Value::from)),
        ("result_bytes", operation.result_bytes.map(Value::from)),
        ("requires", operation.requires.map(|id| json!(model[id].name))),
        ("errors", errors(model, operation)),
        ("confirm", flag(operation.confirm)),
        ("dry_run", flag(operation.dry_run)),
        ("task", operation.task.map(task)),
        ("aliases", Some(aliases(operation))),
        ("deprecated", deprecated(model, operation)),
        ("asks", asks),
        ("examples", Some(examples(operation))),
        ("tags", tags),
        ("tool", Some(json!(operation.wire_name))),
    ])
}

fn cache(cache: Caching) -> Value {
    json!({ "for": period(cache.period), "shared": cache.shared })
}

fn invalidates(model: &Model, operation: &Operation) -> Option<Value> {
    let names = operation.invalidates.iter().map(|id| json!(model[*id].name));
    (!operation.invalidates.is_empty()).then(|| names.collect())
}

fn errors(model: &Model, operation: &Operation) -> Option<Value> {
    let names = operation.errors.iter().map(|id| json!(model[*id].name));
    (!operation.errors.is_empty()).then(|| names.collect())
}

fn task(task: Task) -> Value {
    json!({ "support": task.support.as_str(), "begins": task.begins.as_str() })
}

fn aliases(operation: &Operation) -> Value {
    let one = |Alias { name, mapping: own }: &Alias| {
        let each = own.each.iter().map(|each| {
            let mut keys = mapping(&each.mapping);
            let path = |path: &ArgumentPath| json!(path.to_string());
            keys.insert("into".to_owned(), path(&each.into));
            keys.extend(each.item.as_ref().map(|item| ("item".to_owned(), path(item))));
            keys.extend(each.id.as_ref().map(|id| ("id".to_owned(), path(id))));
            (each.from.clone(), Value::Object(keys))
        });
        let each: Map<_, _> = each.collect();
        let mut keys = mapping(own);
        keys.insert("name".to_owned(), json!(name));
        keys.insert("each".to_owned(), each.into());
        Value::Object(keys)
    };
    operation.aliases.iter().map(one).collect()
}

/// The keys that aliases and their items have in common.
fn mapping(own: &Mapping) -> Map<String, Value> {
    let args = own.args.iter().map(|(old, now)| (old.clone(), json!(now.to_string())));
    let values = own.values.iter().map(|(path, values)| (path.to_string(), json!(values)));
    let set = own.set.iter().map(|(path, value)| (path.to_string(), value.clone()));
    let keys = [
        ("flatten", json!(own.flatten)),
        ("ignore", own.ignore.iter().map(|path| json!(path.to_string())).collect()),
        ("args", args.collect::<Map<_, _>>().into()),
        ("values", values.collect::<Map<_, _>>().into()),
        ("set", set.collect::<Map<_, _>>().into()),
    ];
    keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
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
    given([
        ("note", Some(json!(tool.note))),
        ("use", tool.replacement.map(|id| json!(model[id].id))),
    ])
}

fn deprecated(model: &Model, operation: &Operation) -> Option<Value> {
    let deprecated = operation.deprecated.as_ref()?;
    Some(given([
        ("since", deprecated.since.as_ref().map(|text| json!(text))),
        ("use", deprecated.replacement.map(|id| json!(model[id].id))),
        ("note", deprecated.note.as_ref().map(|text| json!(text))),
    ]))
}

fn examples(operation: &Operation) -> Value {
    let one = |example: &crate::model::Example| {
        given([
            ("args", Some(json!(example.args))),
            ("note", example.note.as_ref().map(|text| json!(text))),
        ])
    };
    operation.examples.iter().map(one).collect()
}

fn resource(resource: &Resource) -> Value {
    given([
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
    given([
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

/// The cookbook of a prompt.
fn cookbook(model: &Model, prompt: &Prompt) -> Value {
    let Some(PromptText::Cookbook(id)) = &prompt.text else { return Value::Null };
    let own = &model[*id];
    given([
        ("title", prompt.title.as_ref().map(|text| json!(text))),
        ("summary", Some(json!(own.summary))),
        ("file", Some(json!(own.file))),
        ("operations", Some(own.operations.iter().map(|id| json!(model[*id].id)).collect())),
        ("tags", Some(json!(prompt.tags))),
    ])
}

fn arguments(arguments: &[Argument]) -> Value {
    let one = |argument: &Argument| {
        let mark = if argument.required { "" } else { "?" };
        let value = given([
            ("description", argument.description.as_ref().map(|text| json!(text))),
            ("values", (!argument.values.is_empty()).then(|| json!(argument.values))),
            ("complete", argument.complete.then_some(Value::Bool(true))),
        ]);
        (format!("{}{mark}", argument.name), value)
    };
    Value::Object(arguments.iter().map(one).collect())
}

fn fields(model: &Model, fields: &[Field]) -> Value {
    let one = |field: &Field| {
        let (mark, default) = match &field.presence {
            Presence::Required => ("", None),
            Presence::Optional => ("?", None),
            Presence::Default(value) => ("?", Some(value)),
        };
        let beside = Beside {
            description: field.description.as_ref(),
            example: field.example.as_ref(),
            sensitive: field.sensitive,
            default,
        };
        (format!("{}{mark}", field.name), shape(model, &field.shape, beside))
    };
    Value::Object(fields.iter().map(one).collect())
}

/// The properties of the long form other than the type.
#[derive(Default, Clone, Copy)]
struct Beside<'a> {
    description: Option<&'a String>,
    example: Option<&'a Value>,
    sensitive: bool,
    default: Option<&'a Value>,
}

/// A type in long form.
fn shape(model: &Model, shape: &Shape, beside: Beside<'_>) -> Value {
    let count = |key: &'static str, value: Option<u64>| (key, value.map(Value::from));
    let mut entries = match shape {
        Shape::Enum(values) => vec![("enum", Some(enumeration(values)))],
        Shape::Record(inner) => vec![("fields", Some(fields(model, inner)))],
        _ => vec![("type", Some(Value::String(expression(model, shape))))],
    };
    match shape {
        Shape::String { min_length, max_length, pattern } => entries.extend([
            count("min_length", *min_length),
            count("max_length", *max_length),
            ("pattern", pattern.as_ref().map(|pattern| json!(pattern.as_str()))),
        ]),
        Shape::Integer { format, min, max } => {
            let format = (*format != IntegerFormat::default()).then(|| json!(format.as_str()));
            entries.extend([("format", format), ("min", min.map(whole)), ("max", max.map(whole))]);
        }
        Shape::Number { min, max } => {
            entries.extend([("min", min.map(Value::from)), ("max", max.map(Value::from))]);
        }
        Shape::Array { min_items, max_items, .. } => {
            entries.extend([count("min_items", *min_items), count("max_items", *max_items)]);
        }
        _ => {}
    }
    entries.extend([
        ("default", beside.default.cloned()),
        ("description", beside.description.map(|text| json!(text))),
        ("example", beside.example.cloned()),
        ("sensitive", beside.sensitive.then_some(Value::Bool(true))),
    ]);
    given(entries)
}

/// The values of an enum: a mapping if any has a description.
fn enumeration(values: &[EnumValue]) -> Value {
    if values.iter().all(|value| value.description.is_none()) {
        return values.iter().map(|value| value.name.as_str()).collect();
    }
    let described = values.iter().map(|EnumValue { name, description }| {
        (name.clone(), description.as_deref().unwrap_or_default().into())
    });
    Value::Object(described.collect())
}

fn expression(model: &Model, shape: &Shape) -> String {
    match shape {
        Shape::String { .. } => "string".to_owned(),
        Shape::Integer { .. } => "integer".to_owned(),
        Shape::Number { .. } => "number".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Date => "date".to_owned(),
        Shape::DateTime => "datetime".to_owned(),
        Shape::Json | Shape::Record(_) => "json".to_owned(),
        Shape::Enum(values) => format!("({})", EnumValue::join(values, " | ")),
        Shape::Array { items, .. } => format!("{}[]", expression(model, items)),
        Shape::Map(values) => format!("map<{}>", expression(model, values)),
        Shape::Named(id) => model[*id].name.clone(),
    }
}

/// A duration in seconds, or in milliseconds if it is not a whole number of seconds.
fn period(duration: Duration) -> Value {
    let millis = duration.as_millis();
    json!(if millis.is_multiple_of(1000) {
        format!("{}s", millis / 1000)
    } else {
        format!("{millis}ms")
    })
}

/// The declared categories, without those added for resources and prompts.
fn declared_categories(model: &Model) -> &[Category] {
    let added = usize::from(!model.resources.is_empty()) + usize::from(!model.prompts.is_empty());
    &model.categories[..model.categories.len() - added]
}

fn named<'a, T: 'a>(
    list: impl IntoIterator<Item = &'a T>,
    entry: impl Fn(&'a T) -> (&'a String, Value),
) -> Value {
    Value::Object(list.into_iter().map(entry).map(|(name, value)| (name.clone(), value)).collect())
}

fn given(entries: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Value {
    let entries = entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(entries.collect())
}
