//! What `select`, `page`, `dry_run` and `confirm` require of the result and the parameters.

use std::collections::HashMap;

use crate::check::names::optional::split_optional;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{Model, Operation, Shape};
use crate::raw::{RawOperation, RawShape};
use crate::rust_names::variant_name;

pub(super) fn check(raw: &RawOperation, model: &Model, operation: &Operation, report: &mut Report) {
    let result = operation.returns.shape().map(|shape| model.resolve(shape));
    // `Json` may stand for an invalid type, which is already reported.
    let unknown = matches!(result, Some(Shape::Json));
    if let Some(select) = raw.select.as_ref().filter(|select| select.value)
        && !unknown
        && !can_select(model, result)
    {
        report.push(
            Problem::error(select.place, "`select` needs a result with fields")
                .expected("`returns` with an object, or a list of objects"),
        );
    }
    if let Some(select) = raw.select.as_ref().filter(|select| select.value) {
        distinct_names(select.place, &model.result_fields(operation), report);
    }
    if let Some(page) = raw.page.as_ref().and_then(|page| page.default.as_ref())
        && !unknown
    {
        fits_pages(page.place, model, result, report);
    }
    reserved(raw, model, operation, report);
}

/// Checks that a result has one list, and nothing beside it that disturbs its pages.
fn fits_pages(page: Place, model: &Model, result: Option<&Shape>, report: &mut Report) {
    if !can_page(model, result) {
        report.push(
            Problem::error(page, "`page` needs a result with a list")
                .expected("`returns` with a list, or an object with exactly one list in it"),
        );
        return;
    }
    let Some(Shape::Record(fields)) = result else { return };
    if fields.iter().any(|field| field.name == "next_cursor") {
        report.push(
            Problem::error(page, "`page` adds `next_cursor` to the result")
                .help("remove the field from the result's type"),
        );
    }
    let any = fields.iter().find(|field| *model.resolve(&field.shape) == Shape::Json);
    // `Json` may stand for an invalid type, which is already reported.
    if let Some(any) = any.filter(|_| !report.has_errors()) {
        let message = format!("`{}` may be a list, too, and `page` needs one", any.name);
        report.push(
            Problem::error(page, message).help("declare what is in the field, or leave it out"),
        );
    }
}

/// Checks that selectable fields have distinct names in Rust.
fn distinct_names(select: Place, fields: &[String], report: &mut Report) {
    let mut known: HashMap<String, &str> = HashMap::new();
    for field in fields {
        if let Some(other) = known.insert(variant_name(field), field) {
            let message =
                format!("`{other}` and `{field}` have the same name in the generated code");
            let problem = Problem::error(select, message);
            report.push(
                problem.help("rename one of the fields: `select` generates a value for each"),
            );
        }
    }
}

fn can_select(model: &Model, result: Option<&Shape>) -> bool {
    match result {
        Some(Shape::Record(_)) => true,
        Some(Shape::Array { items, .. }) => matches!(model.resolve(items), Shape::Record(_)),
        _ => false,
    }
}

fn can_page(model: &Model, result: Option<&Shape>) -> bool {
    let is_list = |shape: &Shape| matches!(model.resolve(shape), Shape::Array { .. });
    match result {
        Some(Shape::Record(fields)) => {
            fields.iter().filter(|field| is_list(&field.shape)).count() == 1
        }
        Some(shape) => is_list(shape),
        None => false,
    }
}

/// The parameters that the engine adds must not be declared, and neither must be the field of an object that names its instance.
fn reserved(raw: &RawOperation, model: &Model, operation: &Operation, report: &mut Report) {
    let instance = model[operation.category].instance.as_deref();
    let added = [
        (instance.unwrap_or_default(), instance.is_some(), "instance"),
        ("fields", operation.select, "select"),
        ("limit", operation.page.is_some(), "page"),
        ("cursor", operation.page.is_some(), "page"),
        ("dry_run", operation.dry_run, "dry_run"),
        ("confirm", operation.confirm, "confirm"),
    ];
    for entry in raw.params.iter().flat_map(|params| &params.0) {
        let name = split_optional(&entry.key.value).0;
        for (reserved, on, by) in added {
            if on && name == reserved {
                report.push(
                    Problem::error(entry.key.place, format!("`{by}` adds the parameter `{name}`"))
                        .help("remove or rename it"),
                );
            }
        }
    }
    let place = match &raw.returns {
        Some(RawShape::Expression(text)) => text.place,
        Some(RawShape::Long(_, place)) => *place,
        Some(RawShape::Unreadable) | None => return,
    };
    let result = operation.returns.shape().map(|shape| model.resolve(shape));
    if let (Some(instance), Some(Shape::Record(fields))) = (instance, result)
        && fields.iter().any(|field| field.name == instance)
    {
        let message = format!("`instance` adds `{instance}` to the result");
        report.push(Problem::error(place, message).help("rename the field of the result's type"));
    }
}
