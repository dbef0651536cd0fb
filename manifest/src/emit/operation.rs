//! Writes operations.

use serde_json::{Map, Value, json};

use super::binding;
use super::shape::{Beside, fields, shape};
use super::value::{period, present_entries};
use crate::model::{
    Alias, ArgumentPath, Caching, Harmless, Mapping, Model, Operation, Returns, Task,
};

pub(super) fn operation(model: &Model, operation: &Operation) -> Value {
    let flag = |on: bool| on.then_some(Value::Bool(true));
    let asks = (!operation.asks.is_empty()).then(|| json!(operation.asks));
    // The engine's operations have their own.
    let unless_builtin = |value: Value| operation.builtin.is_none().then_some(value);
    let (key, written) = binding(operation.binding.as_ref());
    let tags = (!operation.tags.is_empty()).then(|| json!(operation.tags));
    present_entries([
        ("summary", Some(json!(operation.summary))),
        ("description", operation.description.as_ref().map(|text| json!(text))),
        ("builtin", operation.builtin.map(|builtin| json!(builtin.as_str()))),
        (key, written),
        ("effect", unless_builtin(json!(operation.effect.as_str()))),
        ("idempotent", unless_builtin(json!(operation.idempotent))),
        ("open_world", operation.open_world.and_then(|flag| unless_builtin(json!(flag)))),
        ("overwrites", flag(operation.overwrites)),
        ("params", unless_builtin(fields(model, &operation.params))),
        (
            "returns",
            match &operation.returns {
                Returns::Value(returns) => unless_builtin(shape(model, returns, Beside::default())),
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
    let one = |Alias { name, mapping: shared }: &Alias| {
        let each = shared.each.iter().map(|each| {
            let mut keys = mapping(&each.mapping);
            let path = |path: &ArgumentPath| json!(path.to_string());
            keys.insert("into".to_owned(), path(&each.into));
            keys.extend(each.item.as_ref().map(|item| ("item".to_owned(), path(item))));
            keys.extend(each.id.as_ref().map(|id| ("id".to_owned(), path(id))));
            (each.from.clone(), Value::Object(keys))
        });
        let each: Map<_, _> = each.collect();
        let mut keys = mapping(shared);
        keys.insert("name".to_owned(), json!(name));
        keys.insert("each".to_owned(), each.into());
        let harmless = shared.harmless.iter().map(|harmless| {
            let Harmless { name, values, hint } = harmless;
            (name.clone(), json!({ "values": values, "hint": hint }))
        });
        keys.insert("harmless".to_owned(), harmless.collect::<Map<_, _>>().into());
        keys.insert("parse".to_owned(), json!(shared.parse));
        Value::Object(keys)
    };
    operation.aliases.iter().map(one).collect()
}

/// The keys that aliases and their items have in common.
fn mapping(mapping: &Mapping) -> Map<String, Value> {
    let args = mapping.args.iter().map(|(old, now)| (old.clone(), json!(now.to_string())));
    let values = mapping.values.iter().map(|(path, values)| (path.to_string(), json!(values)));
    let set = mapping.set.iter().map(|(path, value)| (path.to_string(), value.clone()));
    let keys = [
        ("flatten", json!(mapping.flatten)),
        ("ignore", mapping.ignore.iter().map(|path| json!(path.to_string())).collect()),
        ("args", args.collect::<Map<_, _>>().into()),
        ("values", values.collect::<Map<_, _>>().into()),
        ("set", set.collect::<Map<_, _>>().into()),
    ];
    keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn deprecated(model: &Model, operation: &Operation) -> Option<Value> {
    let deprecated = operation.deprecated.as_ref()?;
    Some(present_entries([
        ("since", deprecated.since.as_ref().map(|text| json!(text))),
        ("use", deprecated.replacement.map(|id| json!(model[id].id))),
        ("note", deprecated.note.as_ref().map(|text| json!(text))),
    ]))
}

fn examples(operation: &Operation) -> Value {
    let one = |example: &crate::model::Example| {
        present_entries([
            ("args", Some(json!(example.args))),
            ("note", example.note.as_ref().map(|text| json!(text))),
        ])
    };
    operation.examples.iter().map(one).collect()
}
