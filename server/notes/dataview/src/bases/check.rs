//! Checks of expressions before they are evaluated.

use indexmap::IndexMap;

use super::evaluation::{Signature, functions, methods};
use super::file::FIELDS;
use super::names;
use super::syntax::{Access, BaseExpression, Call};
use crate::syntax::SyntaxError;
use crate::value::Name;

/// Checks that all functions, formulas and properties of files exist, and that functions get as many arguments as
/// they take.
pub(super) fn check(
    text: &str,
    expression: &BaseExpression,
    formulas: &[Name],
) -> Result<(), SyntaxError> {
    let fail = |at: usize, reason: String| Err(SyntaxError::from_offset(text, at, reason));
    let mut pending = vec![expression];
    while let Some(expression) = pending.pop() {
        pending.extend(subexpressions(expression));
        match expression {
            BaseExpression::Formula { name, at }
                if names::find(formulas.iter().map(|known| &**known), name).is_none() =>
            {
                let names: Vec<&str> = formulas.iter().map(|known| &**known).collect();
                return fail(*at, missing_name_message("formula", name, &names));
            }
            BaseExpression::Call(call) => check_call(text, "function", call, functions())?,
            BaseExpression::Path(base, steps) => {
                if let Some(Access::Field { name, at }) = step_of_file(base, steps)
                    && names::find(FIELDS.into_iter(), name).is_none()
                {
                    return fail(*at, missing_name_message("property of files", name, &FIELDS));
                }
                for step in steps {
                    if let Access::Method(call) = step {
                        check_call(text, "function", call, methods())?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The step after `file` or `this.file`.
fn step_of_file<'a>(base: &BaseExpression, steps: &'a [Access]) -> Option<&'a Access> {
    let BaseExpression::Name(base) = base else { return None };
    match (&**base, steps) {
        ("file", [step, ..]) => Some(step),
        ("this", [Access::Field { name, .. }, step, ..]) if **name == *"file" => Some(step),
        _ => None,
    }
}

/// The expressions that an expression consists of.
fn subexpressions(expression: &BaseExpression) -> Vec<&BaseExpression> {
    match expression {
        BaseExpression::Literal(_)
        | BaseExpression::Invalid(_)
        | BaseExpression::Name(_)
        | BaseExpression::Formula { .. } => Vec::new(),
        BaseExpression::Not(operand) | BaseExpression::Negative(operand) => vec![operand],
        BaseExpression::Chain(first, others) => {
            std::iter::once(&**first).chain(others.iter().map(|(_, operand)| operand)).collect()
        }
        BaseExpression::List(values) => values.iter().collect(),
        BaseExpression::Object(fields) => fields.iter().map(|(_, value)| value).collect(),
        BaseExpression::Call(call) => call.arguments.iter().collect(),
        BaseExpression::Path(base, steps) => {
            let mut parts = vec![&**base];
            for step in steps {
                match step {
                    Access::Field { .. } => {}
                    Access::Index(index) => parts.push(index),
                    Access::Method(call) => parts.extend(&call.arguments),
                }
            }
            parts
        }
    }
}

fn check_call(
    text: &str,
    kind: &str,
    call: &Call,
    known: impl Iterator<Item = Signature>,
) -> Result<(), SyntaxError> {
    let known: Vec<Signature> = known.collect();
    let Some(signature) = known.iter().find(|known| *known.name == *call.name) else {
        let names: Vec<&str> = known.iter().map(|known| known.name).collect();
        return Err(SyntaxError::from_offset(
            text,
            call.at,
            missing_name_message(kind, &call.name, &names),
        ));
    };
    let Signature { name, least, most } = *signature;
    let given = call.arguments.len();
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let expected = match (least, most) {
        (least, usize::MAX) => format!("at least {least}"),
        (least, most) if least == most => format!("{least}"),
        (least, most) => format!("{least} to {most}"),
    };
    let reason = format!("`{name}` takes {expected} arguments, found {given}");
    Err(SyntaxError::from_offset(text, call.at, reason))
}

/// Says that a name does not exist, with the one that is most like it.
pub(super) fn missing_name_message(kind: &str, name: &str, known: &[&str]) -> String {
    let lower = name.to_lowercase();
    let similarity = |known: &&str| {
        let shared =
            known.chars().zip(lower.chars()).take_while(|(a, b)| a.eq_ignore_ascii_case(b));
        (shared.count() * 2).saturating_sub(known.len().abs_diff(lower.len()))
    };
    let nearest = known.iter().copied().max_by_key(|known| (similarity(known), *known));
    match nearest.filter(|nearest| similarity(nearest) > 2) {
        Some(nearest) => format!("there is no {kind} `{name}`; did you mean `{nearest}`?"),
        None => format!("there is no {kind} `{name}`"),
    }
}

/// The formulas that use themselves: for each, the names of the formulas from one to itself.
pub(super) fn find_cycles(formulas: &IndexMap<Name, BaseExpression>) -> Vec<Vec<String>> {
    let uses = |name: &Name| {
        let mut used = Vec::new();
        let mut pending: Vec<&BaseExpression> = formulas.get(name).into_iter().collect();
        while let Some(expression) = pending.pop() {
            pending.extend(subexpressions(expression));
            if let BaseExpression::Formula { name, .. } = expression {
                let known = names::get(formulas, name).and_then(|(at, _)| formulas.get_index(at));
                used.extend(known.map(|(name, _)| name.clone()));
            }
        }
        used
    };
    let graph: IndexMap<&Name, Vec<Name>> =
        formulas.keys().map(|name| (name, uses(name))).collect();
    formulas.keys().filter_map(|start| find_cycle(start, &graph)).collect()
}

/// The names from a formula to itself.
fn find_cycle(start: &Name, graph: &IndexMap<&Name, Vec<Name>>) -> Option<Vec<String>> {
    let mut paths = vec![vec![start.clone()]];
    let mut seen = Vec::new();
    while let Some(path) = paths.pop() {
        for next in path.last().and_then(|last| graph.get(last)).into_iter().flatten() {
            let longer = || path.iter().cloned().chain([next.clone()]);
            if next == start {
                return Some(longer().map(|name| name.to_string()).collect());
            }
            if !seen.contains(next) {
                seen.push(next.clone());
                paths.push(longer().collect());
            }
        }
    }
    None
}
