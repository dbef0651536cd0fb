//! Steps before a request: reads that find what the request needs, or check that it may be made.

use std::borrow::Cow;

use serde_json::Value;
use toolwrit_text::nearest;
use toolwrit_text::shorten::visible_line;

use crate::failure::{Failure, Result};
use crate::model::{Code, Path, Pick, Reference, Requirement, Step, Template};
use crate::render::{Absent, Scope, same, scalar_text};

/// Suggestions to return. More would not help.
const MAX_OFFERS: usize = 10;
/// Length limit of a value of the API in a failure, in characters.
const MAX_OFFER: usize = 100;

/// Values that must be at paths.
pub(crate) type Wanted<'t> = Vec<(&'t Path, Value)>;

/// What a step looks for, with the values filled in before its request is sent.
pub(crate) struct Search<'t> {
    step: &'t Step,
    pick: Option<(&'t Pick, Wanted<'t>)>,
    require: Wanted<'t>,
}

impl<'t> Search<'t> {
    /// # Errors
    /// If a value is absent.
    pub(crate) fn new(step: &'t Step, scope: &Scope<'_>) -> std::result::Result<Self, Absent> {
        let pick = match &step.pick {
            Some(pick) => Some((pick, wanted(&pick.r#where, scope)?)),
            None => None,
        };
        Ok(Self { step, pick, require: wanted(&step.require, scope)? })
    }

    /// Returns what the step found in an answer.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` if not exactly one element is meant, and the failure of the step if the answer does not
    /// say what it must.
    pub(crate) fn find(&self, provider: &str, answer: &Value) -> Result<Value> {
        let found = match &self.pick {
            Some((pick, wanted)) => picked(pick, wanted, answer, provider)?,
            None => answer.clone(),
        };
        match unmet(&self.require, &found) {
            None => Ok(found),
            Some((path, wanted, there)) => {
                let code = self.step.otherwise.clone();
                let failure = required(code, provider, path, wanted, there);
                Err(match self.argument_at(path) {
                    Some(reference) => failure.at_argument(reference),
                    None => failure,
                })
            }
        }
    }

    /// The argument that must be at a path.
    fn argument_at(&self, path: &Path) -> Option<&Reference> {
        let requirement = self.step.require.iter().find(|requirement| requirement.path == *path)?;
        match &requirement.value {
            Template::Value(reference) => Some(reference),
            _ => None,
        }
    }
}

/// Fills in values.
///
/// # Errors
/// If one is absent.
pub(crate) fn wanted<'t>(
    requirements: &'t [Requirement],
    scope: &Scope<'_>,
) -> std::result::Result<Wanted<'t>, Absent> {
    let filled = requirements
        .iter()
        .map(|requirement| Ok((&requirement.path, scope.fill(&requirement.value)?)));
    filled.collect()
}

/// Returns the first requirement that a value does not meet, and what is there instead.
pub(crate) fn unmet<'w>(
    wanted: &'w Wanted<'_>,
    found: &Value,
) -> Option<(&'w Path, &'w Value, Option<Value>)> {
    wanted.iter().find_map(|(path, value)| {
        let there = path.select(found);
        let is_met = there.as_ref().is_some_and(|there| same(there, value));
        (!is_met).then(|| (*path, value, there.map(Cow::into_owned)))
    })
}

/// Returns the failure of a requirement that is not met. `there` is the value of the API.
pub(crate) fn required(
    code: Code,
    provider: &str,
    path: &Path,
    wanted: &Value,
    there: Option<Value>,
) -> Box<Failure> {
    let message = format!("{provider} has another value at {path}.");
    let is_conflict = code == Code::Conflict;
    let mut failure = Failure::new(code, message).permanent();
    if is_conflict {
        failure = failure.hinting("Read it again, and decide with what is there now.");
    }
    failure.expected = scalar_text(wanted);
    match there {
        Some(Value::String(text)) => failure.got(&visible_line(&text, MAX_OFFER).into()),
        there => failure.got(&there.unwrap_or_default()),
    }
}

fn picked(pick: &Pick, wanted: &Wanted<'_>, answer: &Value, provider: &str) -> Result<Value> {
    let list = pick.from.select(answer);
    let Some(elements) = list.as_deref().and_then(Value::as_array) else {
        let message = format!("The answer of {provider} has no list at {}.", pick.from);
        return Err(Failure::upstream(message).permanent());
    };
    let mut matching = elements.iter().filter(|element| unmet(wanted, element).is_none());
    let (first, others) = (matching.next(), matching.count());
    let count = match (first, others) {
        (Some(found), 0) => return Ok(found.clone()),
        (None, _) => "nothing".to_owned(),
        (Some(_), others) => format!("{} elements", others + 1),
    };
    let paths: Vec<String> = wanted.iter().map(|(path, _)| path.to_string()).collect();
    let paths = paths.join(" and ");
    let message = format!("{provider} has {count} with the wanted value at {paths}.");
    let mut failure =
        Failure::validation(message).expecting("a value that exactly one element has");
    failure.path = pick.at.as_ref().map(ToString::to_string);
    let meant = wanted.first().and_then(|(_, value)| scalar_text(value)).unwrap_or_default();
    failure.did_you_mean = offers(pick, elements, &meant);
    if let Some((_, value)) = wanted.first() {
        failure = failure.got(value);
    }
    Err(failure)
}

/// The values that could be meant, most similar first.
fn offers(pick: &Pick, elements: &[Value], meant: &str) -> Vec<String> {
    let Some(path) = &pick.offer else { return Vec::new() };
    let texts = elements.iter().filter_map(|element| scalar_text(&*path.select(element)?));
    // Only what can be repeated as it is, and another value than the one that did not do.
    let texts = texts.filter(|text| visible_line(text, MAX_OFFER) == *text && text != meant);
    let scored = |text: String| (nearest::similarity(meant, &text), text);
    let mut offers: Vec<(f64, String)> = texts.map(scored).collect();
    offers.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    offers.dedup_by(|a, b| a.1 == b.1);
    offers.into_iter().take(MAX_OFFERS).map(|(_, text)| text).collect()
}
