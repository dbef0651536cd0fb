//! Names in the generated Rust are unique in their scope.

use std::collections::HashMap;

use crate::model::{Field, Model, Operation, Served, Shape};
use crate::names::{type_name, value_name};
use crate::problem::Problem;
use crate::raw::RawManifest;
use crate::report::Report;
use crate::source::Place;

pub(super) fn check(raw: &RawManifest, model: &Model, report: &mut Report) {
    modules(raw, report);
    for (index, _) in raw.categories.iter().enumerate() {
        let mut names = ScopeNames::of("its category's module");
        names.add("Handlers".to_owned(), "the trait `Handlers`".to_owned(), None, report);
        for (entry, operation) in raw.operations.iter().zip(&model.operations) {
            if operation.category.index() == index && model.is_handled(operation) {
                add_operation(&mut names, entry.key.place, operation, report);
            }
        }
    }
    served(raw, model, report);
    let mut names = ScopeNames::of("the module of types");
    for (entry, definition) in raw.types.iter().zip(&model.types) {
        let place = Some(entry.key.place);
        let what = format!("the type `{}`", definition.name);
        names.add(definition.name.clone(), what.clone(), place, report);
        add_inline(&mut names, &definition.name, &what, place, &definition.shape, report);
    }
}

fn modules(raw: &RawManifest, report: &mut Report) {
    let mut names = ScopeNames::of("the generated code");
    names.add("types".to_owned(), "the module of `types`".to_owned(), None, report);
    if !raw.errors.is_empty() {
        names.add("errors".to_owned(), "the module of `errors`".to_owned(), None, report);
    }
    for entry in &raw.categories {
        let what = format!("the category `{}`", entry.key.value);
        names.add(value_name(&entry.key.value), what, Some(entry.key.place), report);
    }
}

/// All resources share one module with their completions, and so do all prompts.
fn served(raw: &RawManifest, model: &Model, report: &mut Report) {
    let mut names = [(), ()].map(|()| ScopeNames::of("its module"));
    for names in &mut names {
        names.add("Handlers".to_owned(), "the trait `Handlers`".to_owned(), None, report);
    }
    for operation in model.operations.iter().filter(|operation| model.is_handled(operation)) {
        let own = match operation.served {
            Served::Completion { of, .. } => &model[of].served,
            ref own => own,
        };
        let (names, place) = match own {
            Served::Resource(id) => (&mut names[0], raw.resources[id.index()].key.place),
            Served::Prompt(id) => (&mut names[1], raw.prompts[id.index()].key.place),
            Served::Tool | Served::Completion { .. } => continue,
        };
        add_operation(names, place, operation, report);
    }
}

fn add_operation(names: &mut ScopeNames, place: Place, operation: &Operation, report: &mut Report) {
    let own = type_name(&operation.name);
    let what = format!("the operation `{}`", operation.id);
    let place = Some(place);
    names.add(own.clone(), what.clone(), place, report);
    add_fields(names, &own, &what, place, &operation.params, report);
    if let Some(returns) = operation.returns.shape() {
        let result = format!("{own}Result");
        let what = format!("the result of `{}`", operation.id);
        names.add(result.clone(), what.clone(), place, report);
        match returns {
            // The type is the result itself.
            Shape::Record(fields) => add_fields(names, &result, &what, place, fields, report),
            Shape::Enum(_) => {}
            other => add_inline(names, &result, &what, place, other, report),
        }
    }
}

fn add_fields(
    names: &mut ScopeNames,
    owner: &str,
    what: &str,
    place: Option<Place>,
    fields: &[Field],
    report: &mut Report,
) {
    for field in fields {
        let name = format!("{owner}{}", type_name(&field.name));
        let what = format!("`{}` of {what}", field.name);
        if let Some(inner) = inline(&field.shape) {
            names.add(name.clone(), what.clone(), place, report);
            if let Shape::Record(fields) = inner {
                add_fields(names, &name, &what, place, fields, report);
            }
        }
    }
}

/// The unnamed types inside a declared type or a result.
fn add_inline(
    names: &mut ScopeNames,
    owner: &str,
    what: &str,
    place: Option<Place>,
    shape: &Shape,
    report: &mut Report,
) {
    match shape {
        Shape::Record(fields) => add_fields(names, owner, what, place, fields, report),
        Shape::Array { .. } | Shape::Map(_) => {
            if let Some(Shape::Record(fields)) = inline(shape) {
                add_fields(names, owner, what, place, fields, report);
            }
        }
        _ => {}
    }
}

/// The enum or object inside lists and maps, which needs a type of its own.
fn inline(shape: &Shape) -> Option<&Shape> {
    match shape {
        Shape::Array { items, .. } => inline(items),
        Shape::Map(values) => inline(values),
        Shape::Enum(_) | Shape::Record(_) => Some(shape),
        _ => None,
    }
}

/// The names of one scope, and what each belongs to.
struct ScopeNames {
    scope: &'static str,
    taken: HashMap<String, (String, Option<Place>)>,
}

impl ScopeNames {
    fn of(scope: &'static str) -> Self {
        Self { scope, taken: HashMap::new() }
    }

    fn add(&mut self, name: String, what: String, place: Option<Place>, report: &mut Report) {
        let Some((first, first_place)) = self.taken.get(&name) else {
            self.taken.insert(name, (what, place));
            return;
        };
        let Some(at) = place.or(*first_place) else { return };
        let message = format!("{what} and {first} are both `{name}` in {}", self.scope);
        let problem = Problem::error(at, message).help("rename one of them");
        report.push(match first_place {
            Some(first) if *first != at => problem.note("the first is declared at", *first),
            _ => problem,
        });
    }
}
