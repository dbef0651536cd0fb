//! Operations: from the raw form to the model.

mod aliases;
pub(super) mod asks;
mod builtins;
mod effects;
mod examples;
pub(super) mod merged;
mod results;
mod separate;

use crate::check::names::lookup::DeclaredNames;
use crate::check::names::spelling::{self, Style};
use crate::check::text;
use crate::check::types::TypeTable;
use crate::diagnostics::{Problem, Report};
use crate::model::builtin;
use crate::model::{
    Caching, Category, CategoryId, Deprecation, Effect, ErrorId, Example, Model, Operation,
    OperationId, PageSizes, Returns, Served, Task,
};
use crate::raw::{
    Entry, Located, RawDeprecation, RawExample, RawLongCache, RawLongTask, RawManifest,
    RawOperation, RawPage, RawShape,
};
use crate::yaml::Text;

/// The keyword for a result of text, image, audio and resource blocks.
const CONTENT: &str = "content";

/// All operations, parallel to the raw list. A category that is not declared is reported and added,
/// so that its operations can be kept.
pub(super) fn operations(
    raw: &RawManifest,
    lookup: &DeclaredNames<'_>,
    types: &mut TypeTable<'_>,
    categories: &mut Vec<Category>,
    report: &mut Report,
) -> Vec<Operation> {
    let mut operations = Vec::with_capacity(raw.operations.len());
    for (index, Entry { key, value }) in raw.operations.iter().enumerate() {
        let (category, name) = spelling::id_parts(&key.value).unwrap_or_default();
        let start = category.chars().count() + 1;
        let place = key.part(start, name.chars().count());
        let id = Id {
            text: key,
            operation: OperationId(index),
            category: category_of(category, key, lookup, categories, report),
            name: spelling::operation(name, place, report),
        };
        operations.push(operation(id, value, lookup, types, categories, report));
    }
    operations
}

/// The rules of one operation that need the whole model.
pub(super) fn check(raw: &RawOperation, model: &Model, operation: &Operation, report: &mut Report) {
    builtins::check(raw, report);
    effects::check(raw, report);
    results::check(raw, model, operation, report);
    separate::check(raw, model, operation, report);
    aliases::check(raw, model, operation, report);
    examples::check(raw, model, operation, report);
}

/// The parts of an id.
struct Id<'a> {
    text: &'a Text,
    operation: OperationId,
    category: CategoryId,
    name: String,
}

fn category_of(
    name: &str,
    key: &Text,
    lookup: &DeclaredNames<'_>,
    categories: &mut Vec<Category>,
    report: &mut Report,
) -> CategoryId {
    let place = key.part(0, name.chars().count());
    if let Some(id) = lookup.category(name, place, report) {
        return id;
    }
    let name = spelling::repaired(name, Style::Kebab);
    let known = categories.iter().position(|category| category.name == name);
    CategoryId(known.unwrap_or_else(|| {
        categories.push(Category {
            title: name.clone(),
            summary: String::new(),
            keywords: Vec::new(),
            synonyms: Vec::new(),
            wire_name: name.clone(),
            direct: false,
            instance: None,
            providers: Vec::new(),
            name,
        });
        categories.len() - 1
    }))
}

fn operation(
    id: Id<'_>,
    raw: &RawOperation,
    lookup: &DeclaredNames<'_>,
    types: &mut TypeTable<'_>,
    categories: &[Category],
    report: &mut Report,
) -> Operation {
    let builtin = raw.builtin.as_ref().map(|builtin| builtin.value);
    let effect = match builtin {
        Some(builtin) => builtin.effect(),
        None => raw.effect.as_ref().map_or(Effect::Read, |effect| effect.value),
    };
    let yes = |flag: &Option<Located<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
    let repeatable = effect == Effect::Read || builtin.is_some();
    let idempotent = raw.idempotent.as_ref().map_or(repeatable, |flag| flag.value);
    let category = &categories[id.category.0];
    let wire_name = raw.tool.as_ref().map_or_else(
        || format!("{}_{}", category.wire_name, id.name.replace('.', "_")),
        |tool| tool.value.clone(),
    );
    Operation {
        id: id.text.value.clone(),
        category: id.category,
        summary: summary(raw, report),
        description: text::description(raw.description.as_ref(), report)
            .or_else(|| builtin::description(builtin?).map(str::to_owned)),
        builtin,
        binding: None,
        effect,
        idempotent,
        open_world: Some(yes(&raw.open_world)),
        overwrites: yes(&raw.overwrites),
        params: match (builtin, &raw.params) {
            (Some(builtin), _) => builtin::params(builtin),
            (None, Some(params)) => types.fields("parameter", params, report),
            (None, None) => Vec::new(),
        },
        returns: match (builtin, &raw.returns) {
            (Some(builtin), _) => Returns::Value(builtin::returns(builtin)),
            (None, None) => Returns::Text,
            (None, Some(RawShape::Expression(text))) if text.value.trim() == CONTENT => {
                Returns::Content
            }
            (None, Some(returns)) => Returns::Value(types.result(returns, report)),
        },
        served: Served::Tool,
        select: yes(&raw.select),
        page: raw.page.as_ref().and_then(|page| self::page(page, report)),
        cache: raw.cache.as_ref().and_then(|cache| self::cache(&cache.0)),
        invalidates: invalidates(raw, id.category, lookup, report),
        timeout: raw.timeout.as_ref().map(|period| period.value.0),
        retry: raw.retry.as_ref().map(|times| times.value.0),
        concurrency: raw.concurrency.as_ref().map(|count| count.value.get()),
        result_bytes: raw.result_bytes.as_ref().map(|size| size.value.0),
        requires: raw.requires.as_ref().and_then(|name| lookup.provider(name, report)),
        errors: errors(raw, lookup, report),
        confirm: yes(&raw.confirm) || effect == Effect::Destroy,
        dry_run: yes(&raw.dry_run),
        task: raw.task.as_ref().and_then(|task| self::task(&task.0)),
        aliases: aliases::aliases(raw, report),
        deprecated: raw
            .deprecated
            .as_ref()
            .map(|deprecated| deprecation(deprecated, id.operation, lookup, report)),
        asks: text::words("the ask", raw.asks.as_ref(), report),
        examples: raw.examples.iter().flatten().map(|raw| example(raw, report)).collect(),
        tags: text::words("the tag", raw.tags.as_ref(), report),
        name: id.name,
        wire_name,
    }
}

/// The summary as written, or that of the engine's operation.
fn summary(raw: &RawOperation, report: &mut Report) -> String {
    match (&raw.summary, &raw.builtin) {
        (None, Some(builtin)) => builtin::summary(builtin.value).to_owned(),
        (written, _) => text::summary(written.as_ref(), report),
    }
}

/// `None` if the period is missing, which is reported.
fn cache(raw: &RawLongCache) -> Option<Caching> {
    let shared = raw.shared.as_ref().is_some_and(|shared| shared.value);
    raw.r#for.as_ref().map(|period| Caching { period: period.value.0, shared })
}

/// The further categories whose answers it invalidates, each once.
fn invalidates(
    raw: &RawOperation,
    category: CategoryId,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Vec<CategoryId> {
    let mut categories = Vec::new();
    for name in raw.invalidates.iter().flatten() {
        let Some(id) = lookup.category(&name.value, name.place, report) else { continue };
        if id == category || categories.contains(&id) {
            let message = format!("answers of `{}` are invalidated already", name.value);
            let problem = Problem::error(name.place, message);
            report.push(if id == category {
                problem
                    .help("a write always invalidates the answers of its own category; remove it")
            } else {
                problem.help("it is listed twice")
            });
        } else {
            categories.push(id);
        }
    }
    categories
}

/// The errors with which it may fail, each once.
fn errors(raw: &RawOperation, lookup: &DeclaredNames<'_>, report: &mut Report) -> Vec<ErrorId> {
    let mut errors = Vec::new();
    for name in raw.errors.iter().flatten() {
        let Some(id) = lookup.error(name, report) else { continue };
        if errors.contains(&id) {
            let message = format!("the error `{}` is listed twice", name.value);
            report.push(Problem::error(name.place, message));
        } else {
            errors.push(id);
        }
    }
    errors
}

fn page(raw: &RawPage, report: &mut Report) -> Option<PageSizes> {
    let (default, max) = (raw.default.as_ref()?, raw.max.as_ref()?);
    if default.value > max.value {
        report.push(
            Problem::error(default.place, "the default page size exceeds the maximum")
                .expected(format!("at most {}, the value of `max`", max.value)),
        );
        return None;
    }
    Some(PageSizes { default: default.value.get(), max: max.value.get() })
}

/// `None` if `support` is missing, which is reported.
fn task(raw: &RawLongTask) -> Option<Task> {
    let begins = raw.begins.as_ref().map(|begins| begins.value).unwrap_or_default();
    raw.support.as_ref().map(|support| Task { support: support.value, begins })
}

fn deprecation(
    raw: &RawDeprecation,
    operation: OperationId,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Deprecation {
    let raw = &raw.0;
    let replacement = raw.r#use.as_ref().and_then(|name| lookup.operation(name, report));
    if let (Some(replacement), Some(name)) = (replacement, &raw.r#use)
        && replacement == operation
    {
        let problem = Problem::error(name.place, "the operation names itself as its replacement");
        report.push(problem.help("name the operation that replaces it"));
    }
    Deprecation {
        since: text::optional("the version", raw.since.as_ref(), report),
        replacement,
        note: text::optional("the note", raw.note.as_ref(), report),
    }
}

fn example(raw: &RawExample, report: &mut Report) -> Example {
    let args = raw.args.iter().flat_map(|args| &args.0);
    Example {
        args: args
            .filter_map(|Entry { key, value }| {
                Some((key.value.clone(), value.as_ref()?.value.clone()))
            })
            .collect(),
        note: text::optional("the note", raw.note.as_ref(), report),
    }
}
