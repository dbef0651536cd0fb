//! The order of values. Values of different types are ordered by the names of their types; null is first.

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

use icu_collator::options::CollatorOptions;
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};

use super::{Link, Object, Value};

/// The order of text in English and in languages without an order of their own.
static COLLATOR: LazyLock<Option<CollatorBorrowed<'static>>> = LazyLock::new(|| {
    Collator::try_new(CollatorPreferences::default(), CollatorOptions::default()).ok()
});

/// Finds the files that links name, so that links are compared by them.
pub(crate) trait Paths {
    /// The path of the file that a link's path names, or the path itself.
    fn normalize(&self, path: &Arc<str>) -> Arc<str>;
}

/// Compares links by their paths as they are.
pub(crate) struct UnresolvedPaths;

impl Paths for UnresolvedPaths {
    fn normalize(&self, path: &Arc<str>) -> Arc<str> {
        Arc::clone(path)
    }
}

/// Compares two values for operators. As in JavaScript, some are not equal and not in an order: numbers that
/// are not a number, equal dates in different zones, equal durations in different units.
pub(crate) fn compare(a: &Value, b: &Value, paths: &dyn Paths) -> Ordering {
    ordering(a, b, paths, Ordering::Greater)
}

/// Compares two values for sorting. This is a total order.
pub(crate) fn sort_order(a: &Value, b: &Value, paths: &dyn Paths) -> Ordering {
    ordering(a, b, paths, Ordering::Equal)
}

/// `unordered` is the result for values that are not equal and not in an order.
fn ordering(a: &Value, b: &Value, paths: &dyn Paths, unordered: Ordering) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) | (Value::ExternalLink(_), Value::ExternalLink(_)) => {
            Ordering::Equal
        }
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => numbers(*a, *b, unordered),
        (Value::Text(a) | Value::Typed(_, a), Value::Text(b) | Value::Typed(_, b)) => texts(a, b),
        (Value::Date(a), Value::Date(b)) => {
            let is_same = || a.time_zone() == b.time_zone();
            let by_zone = || if is_same() { Ordering::Equal } else { unordered };
            a.timestamp().cmp(&b.timestamp()).then_with(by_zone)
        }
        (Value::Duration(a), Value::Duration(b)) => {
            let by_units = || if a == b { Ordering::Equal } else { unordered };
            numbers(a.milliseconds(), b.milliseconds(), unordered).then_with(by_units)
        }
        (Value::Link(a), Value::Link(b)) => links(a, b, paths),
        (Value::List(a), Value::List(b)) => lists(a, b, unordered),
        (Value::Object(a), Value::Object(b)) => objects(a, b, unordered),
        (a, b) => a.type_name().cmp(b.type_name()),
    }
}

fn numbers(a: f64, b: f64, unordered: Ordering) -> Ordering {
    let as_last = || match unordered {
        Ordering::Equal => a.is_nan().cmp(&b.is_nan()),
        other => other,
    };
    a.partial_cmp(&b).unwrap_or_else(as_last)
}

/// The order of texts in a dictionary.
fn texts(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    match &*COLLATOR {
        Some(collator) => collator.compare(a, b),
        None => a.cmp(b),
    }
}

fn links(a: &Arc<Link>, b: &Arc<Link>, paths: &dyn Paths) -> Ordering {
    if Arc::ptr_eq(a, b) {
        return Ordering::Equal;
    }
    let by_path = || texts(&paths.normalize(&a.path), &paths.normalize(&b.path));
    let by_path = if a.path == b.path { Ordering::Equal } else { by_path() };
    let by_subpath = || match (a.subpath(), b.subpath()) {
        (Some(a), Some(b)) => texts(a, b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    };
    by_path.then_with(|| a.kind().cmp(b.kind())).then_with(by_subpath)
}

/// Links inside lists and objects are compared by their paths as they are.
fn lists(a: &[Value], b: &[Value], unordered: Ordering) -> Ordering {
    let mut compared = a.iter().zip(b).map(|(a, b)| ordering(a, b, &UnresolvedPaths, unordered));
    let different = compared.find(|order| order.is_ne());
    different.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn objects(a: &Object, b: &Object, unordered: Ordering) -> Ordering {
    if let (Object::Record(a), Object::Record(b)) = (a, b)
        && Arc::ptr_eq(a, b)
    {
        return Ordering::Equal;
    }
    let sorted = |object: &Object| {
        let mut names = object.names();
        names.sort_unstable();
        names
    };
    let (a_names, b_names) = (sorted(a), sorted(b));
    let listed = |names: &[Arc<str>]| {
        names.iter().map(|name| Value::Text(Arc::clone(name))).collect::<Vec<_>>()
    };
    let by_value = || {
        let mut values = a_names.iter().map(|name| {
            let value = |object: &Object| object.get(name).unwrap_or_default();
            ordering(&value(a), &value(b), &UnresolvedPaths, unordered)
        });
        values.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    lists(&listed(&a_names), &listed(&b_names), unordered).then_with(by_value)
}
