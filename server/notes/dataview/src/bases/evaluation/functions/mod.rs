//! The functions of the language: global ones, and the methods of each type of value.

mod any;
mod arguments;
mod dates;
mod files;
mod global;
mod lists;
mod numbers;
mod objects;
mod texts;

use super::conversion::{as_text, file_path, type_name};
use crate::evaluation::{Evaluated, Failure};
use crate::value::{Object, Regexp, Value};

pub(super) use arguments::LazyArguments;

/// A function, and how many arguments it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bases) struct Signature {
    pub(in crate::bases) name: &'static str,
    pub(in crate::bases) least: usize,
    pub(in crate::bases) most: usize,
}

/// A method of values of type `T`.
struct Method<T: ?Sized + 'static> {
    signature: Signature,
    run: fn(&T, &LazyArguments<'_>) -> Evaluated,
}

/// A method that takes from `least` to `most` arguments.
const fn method<T: ?Sized>(
    name: &'static str,
    least: usize,
    most: usize,
    run: fn(&T, &LazyArguments<'_>) -> Evaluated,
) -> Method<T> {
    Method { signature: Signature { name, least, most }, run }
}

/// The methods of regular expressions.
const REGEXP_METHODS: &[Method<Regexp>] =
    &[method("matches", 1, 1, |regexp, args| Ok(regexp.regex.is_match(&args.text(0)?).into()))];

/// All global functions.
pub(in crate::bases) fn functions() -> impl Iterator<Item = Signature> {
    signatures(global::FUNCTIONS)
}

pub(in crate::bases) fn methods() -> impl Iterator<Item = Signature> {
    signatures(any::METHODS)
        .chain(signatures(texts::METHODS))
        .chain(signatures(numbers::METHODS))
        .chain(signatures(dates::METHODS))
        .chain(signatures(lists::METHODS))
        .chain(signatures(files::LINK_METHODS))
        .chain(signatures(files::METHODS))
        .chain(signatures(objects::METHODS))
        .chain(signatures(REGEXP_METHODS))
}

fn signatures<T: ?Sized>(methods: &'static [Method<T>]) -> impl Iterator<Item = Signature> {
    methods.iter().map(|method| method.signature)
}

/// Calls a global function.
pub(super) fn call_function(name: &str, arguments: &LazyArguments<'_>) -> Evaluated {
    call_by_name(global::FUNCTIONS, &(), name, arguments)
        .unwrap_or_else(|| Err(Failure::row(format!("there is no function `{name}`"))))
}

pub(super) fn call_method(value: &Value, name: &str, arguments: &LazyArguments<'_>) -> Evaluated {
    let by_type = match value {
        Value::Number(number) => call_by_name(numbers::METHODS, number, name, arguments),
        Value::Date(date) => call_by_name(dates::METHODS, &**date, name, arguments),
        Value::List(values) => call_by_name(lists::METHODS, &**values, name, arguments),
        Value::Link(link) => call_by_name(files::LINK_METHODS, &link.path, name, arguments),
        Value::Regexp(regexp) => call_by_name(REGEXP_METHODS, &**regexp, name, arguments),
        Value::Object(object) => {
            let file = file_path(value);
            let of_file = file.and_then(|path| call_by_name(files::METHODS, path, name, arguments));
            of_file.or_else(|| call_by_name::<Object>(objects::METHODS, object, name, arguments))
        }
        _ => None,
    };
    let of_text =
        || as_text(value).and_then(|text| call_by_name(texts::METHODS, &*text, name, arguments));
    let of_any = || call_by_name(any::METHODS, value, name, arguments);
    if let Some(result) = by_type.or_else(of_text).or_else(of_any) {
        return result;
    }
    match (value, name) {
        // A property that a note does not have contains nothing, and has no parts.
        (Value::Null, "contains" | "containsAll" | "containsAny" | "startsWith" | "endsWith") => {
            Ok(false.into())
        }
        (Value::Null, _) => Ok(Value::Null),
        _ => Err(Failure::row(format!("`{name}` does not apply to {}", type_name(value)))),
    }
}

/// Runs a method if there is one of this name.
fn call_by_name<T: ?Sized>(
    methods: &'static [Method<T>],
    receiver: &T,
    name: &str,
    arguments: &LazyArguments<'_>,
) -> Option<Evaluated> {
    let method = methods.iter().find(|method| *method.signature.name == *name)?;
    Some((method.run)(receiver, arguments))
}
