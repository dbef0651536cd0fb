//! Arguments of prompts, and variables of URIs.

use crate::check::names::optional::split_optional;
use crate::check::names::spelling::{self, Style};
use crate::check::text;
use crate::check::types::enumeration;
use crate::diagnostics::{Problem, Report};
use crate::model::{Argument, Shape};
use crate::raw::{Entries, Entry, RawArgument};
use crate::rust_names::value_name;

/// The arguments in the order of the document. A key that ends in `?` is optional.
pub(super) fn arguments(raw: Option<&Entries<RawArgument>>, report: &mut Report) -> Vec<Argument> {
    let mut arguments: Vec<Argument> = Vec::new();
    for Entry { key, value } in raw.into_iter().flat_map(|entries| &entries.0) {
        let (name, is_optional) = split_optional(&key.value);
        let name = spelling::name("argument", name, key.place, Style::Argument, report);
        let is_taken = |argument: &Argument| value_name(&argument.name) == value_name(&name);
        if arguments.iter().any(is_taken) {
            report.push(Problem::error(key.place, format!("the argument `{name}` is given twice")));
            continue;
        }
        arguments.push(argument(name, !is_optional, value, report));
    }
    arguments
}

fn argument(name: String, required: bool, raw: &RawArgument, report: &mut Report) -> Argument {
    let RawArgument(raw) = raw;
    let values = raw.values.iter().flatten().map(|value| (value.value.as_str(), value.place));
    let values: Vec<_> = values.collect();
    let complete = raw.complete.as_ref().filter(|complete| complete.value);
    if let (Some(complete), false) = (complete, values.is_empty()) {
        report.push(
            Problem::error(complete.place, "an argument with `values` needs no completion handler")
                .help("remove `complete`; the engine suggests matching values from the list"),
        );
    }
    Argument {
        name,
        description: text::description(raw.description.as_ref(), report),
        required,
        complete: complete.is_some(),
        values: match enumeration::plain(values, report) {
            Shape::Enum(values) => values.into_iter().map(|value| value.name).collect(),
            _ => Vec::new(),
        },
    }
}
