//! The functions of the language.
//!
//! A function has variants by the types of its arguments; the first that fits runs. Where a list is given in a
//! at that takes single values, the function runs for each value of the list.

mod arguments;
mod construct;
mod lists;
mod numbers;
mod rounding;
mod tables;
mod texts;
mod times;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::context::{Context, Evaluated, Failure};
use crate::value::Value;
pub(super) use arguments::Argument;
use arguments::Arguments;
use tables::{Function, Type};

/// All functions, by name.
static FUNCTIONS: LazyLock<HashMap<&'static str, &'static Function>> = LazyLock::new(|| {
    let groups = [
        construct::FUNCTIONS,
        numbers::FUNCTIONS,
        rounding::FUNCTIONS,
        lists::FUNCTIONS,
        texts::FUNCTIONS,
        times::FUNCTIONS,
    ];
    groups.into_iter().flatten().map(|function| (function.name, function)).collect()
});

/// Checks that a function exists.
///
/// # Errors
/// The existing name that is most like it.
pub(crate) fn nearest_function(name: &str) -> Result<(), Option<&'static str>> {
    if FUNCTIONS.contains_key(name) {
        return Ok(());
    }
    let lower = name.to_lowercase();
    let similarity = |known: &&str| {
        let shared = known.chars().zip(lower.chars()).take_while(|(a, b)| a == b).count();
        (shared * 2).saturating_sub(known.len().abs_diff(lower.len()))
    };
    let nearest = FUNCTIONS.keys().copied().max_by_key(|known| (similarity(known), *known));
    Err(nearest.filter(|nearest| similarity(nearest) > 2))
}

pub(super) fn call(name: &str, arguments: &[Argument<'_>], context: &Context<'_>) -> Evaluated {
    match FUNCTIONS.get(name) {
        Some(function) => apply(function, arguments, context),
        None => Err(Failure::row(format!("there is no function `{name}`"))),
    }
}

fn apply(function: &Function, arguments: &[Argument<'_>], context: &Context<'_>) -> Evaluated {
    context.budget.step()?;
    let each = function.each.iter().find(|(count, _)| *count == arguments.len());
    if let Some((_, positions)) = each {
        let is_list = |at: &&usize| matches!(arguments[**at], Argument::Value(Value::List(_)));
        let positions: Vec<usize> = positions.iter().filter(is_list).copied().collect();
        if !positions.is_empty() {
            return apply_to_each(function, arguments, &positions, context);
        }
    }
    let fits = |types: &[Type]| match types {
        [Type::Rest] => true,
        types => {
            types.len() == arguments.len()
                && types.iter().zip(arguments).all(|(expected, given)| expected.fits(given))
        }
    };
    if let Some(variant) = function.variants.iter().find(|variant| fits(variant.types)) {
        return (variant.run)(&Arguments::new(arguments, context));
    }
    let is_null = |argument: &Argument<'_>| matches!(argument, Argument::Value(Value::Null));
    if function.passes_null && arguments.iter().any(is_null) {
        return Ok(Value::Null);
    }
    let types: Vec<&str> = arguments.iter().map(Argument::type_name).collect();
    Err(Failure::row(format!("`{}` does not apply to ({})", function.name, types.join(", "))))
}

/// Runs a function for each value of the lists at some positions, up to the end of the shortest list.
fn apply_to_each(
    function: &Function,
    arguments: &[Argument<'_>],
    positions: &[usize],
    context: &Context<'_>,
) -> Evaluated {
    let list = |at: usize| match &arguments[at] {
        Argument::Value(Value::List(values)) => &values[..],
        _ => &[],
    };
    let count = positions.iter().map(|&at| list(at).len()).min().unwrap_or(0);
    let result = (0..count).map(|position| {
        let given = arguments.iter().enumerate().map(|(at, argument)| {
            if positions.contains(&at) {
                Argument::Value(list(at)[position].clone())
            } else {
                argument.clone()
            }
        });
        apply(function, &given.collect::<Vec<_>>(), context)
    });
    Ok(Value::List(result.collect::<Result<_, _>>()?))
}
