//! Names in the generated Rust are unique in their scope.

use std::collections::HashMap;

use crate::diagnostics::{Place, Problem, Report};
use crate::model::{Model, Operation, Served, Shape};
use crate::raw::RawManifest;
use crate::rust_names::{type_name, value_name};

pub(in crate::check) fn check(raw: &RawManifest, model: &Model, report: &mut Report) {
    modules(raw, report);
    for (index, _) in raw.categories.iter().enumerate() {
        let mut names = ScopeNames::new("its category's module");
        names.add("Handlers".to_owned(), "the trait `Handlers`".to_owned(), None, report);
        for (entry, operation) in raw.operations.iter().zip(&model.operations) {
            if operation.category.index() == index && model.is_handled(operation) {
                add_operation(&mut names, entry.key.place, (model, operation), report);
            }
        }
    }
    served(raw, model, report);
    let mut names = ScopeNames::new("the module of types");
    for (entry, definition) in raw.types.iter().zip(&model.types) {
        let place = Some(entry.key.place);
        let what = format!("the type `{}`", definition.name);
        if names.add(definition.name.clone(), what.clone(), place, report) {
            add_inside(&mut names, &definition.name, &what, place, &definition.shape, report);
        }
    }
}

fn modules(raw: &RawManifest, report: &mut Report) {
    let mut names = ScopeNames::new("the generated code");
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
    let mut names = [(), ()].map(|()| ScopeNames::new("its module"));
    for names in &mut names {
        names.add("Handlers".to_owned(), "the trait `Handlers`".to_owned(), None, report);
    }
    for operation in model.operations.iter().filter(|operation| model.is_handled(operation)) {
        let served = match operation.served {
            Served::Completion { of, .. } => &model[of].served,
            ref served => served,
        };
        let (names, place) = match served {
            Served::Resource(id) => (&mut names[0], raw.resources[id.index()].key.place),
            Served::Prompt(id) => (&mut names[1], raw.prompts[id.index()].key.place),
            Served::Tool | Served::Completion { .. } => continue,
        };
        add_operation(names, place, (model, operation), report);
    }
}

fn add_operation(
    names: &mut ScopeNames,
    place: Place,
    (model, operation): (&Model, &Operation),
    report: &mut Report,
) {
    let name = type_name(&operation.name);
    let what = format!("the operation `{}`", operation.id);
    if !names.add(name.clone(), what.clone(), Some(place), report) {
        return;
    }
    let inputs = Shape::Record(model.handler_inputs(operation));
    add_inside(names, &name, &what, Some(place), &inputs, report);
    // Also a result that is no value has a name: an alias.
    let result = format!("{name}Result");
    let what = format!("the result of `{}`", operation.id);
    let is_free = names.add(result.clone(), what.clone(), Some(place), report);
    if let Some(returns) = operation.returns.shape().filter(|_| is_free) {
        add_inside(names, &result, &what, Some(place), returns, report);
    }
}

/// The unnamed types inside a named one.
fn add_inside(
    names: &mut ScopeNames,
    owner: &str,
    what: &str,
    place: Option<Place>,
    shape: &Shape,
    report: &mut Report,
) {
    let mut add = |name: String, what: String, shape: &Shape| {
        if let Some(inner) = inline(shape)
            && names.add(name.clone(), what.clone(), place, report)
        {
            add_inside(names, &name, &what, place, inner, report);
        }
    };
    match shape {
        Shape::Record(fields) => {
            for field in fields {
                let name = format!("{owner}{}", type_name(&field.name));
                add(name, format!("`{}` of {what}", field.name), &field.shape);
            }
        }
        // The type is the enum itself.
        Shape::Enum(_) => {}
        other => add(format!("{owner}Item"), format!("an item of {what}"), other),
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
    fn new(scope: &'static str) -> Self {
        Self { scope, taken: HashMap::new() }
    }

    /// Takes a name; returns whether it was free. If not, what is named after it would only repeat the problem.
    fn add(
        &mut self,
        name: String,
        what: String,
        place: Option<Place>,
        report: &mut Report,
    ) -> bool {
        let Some((first, first_place)) = self.taken.get(&name) else {
            self.taken.insert(name, (what, place));
            return true;
        };
        let Some(at) = place.or(*first_place) else { return false };
        let message = format!("{what} and {first} are both `{name}` in {}", self.scope);
        let problem = Problem::error(at, message).help("rename one of them");
        report.push(match first_place {
            Some(first) if *first != at => problem.note("the first is declared at", *first),
            _ => problem,
        });
        false
    }
}
