//! Paths of headings.

use std::collections::HashMap;
use std::fmt;

use serde_json::Value;

use super::{EqualPlace, LISTED, LOOKED_AT, SEPARATOR, TargetError, line_number};
use crate::document::{Document, Heading};
use crate::path::normal_form;

/// Longest path suggested, in bytes.
const LONGEST: usize = 1_000;

/// The headings from the top of a note to a section, as a caller names them.
///
/// A list has the headings from the top, each below the one before it, at any level: `["Plan", "Week 1"]`. A number after a
/// heading picks one of its siblings that are equal: `["Log", 2, "Notes"]`.
///
/// A text is tried in this order: the whole path, joined with `::`, which may also be part of a heading; the end of one path;
/// and, after `#` marks, both at the level of the marks: `Plan::Week 1`, `Week 1`, `## Week 1`.
///
/// Headings are compared without surrounding white space and in any Unicode normal form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadingPath(Form);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    List(Vec<Step>),
    /// In normal form.
    Text(String),
}

/// A heading of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    heading: String,
    /// Which of the equal siblings, from 1.
    number: Option<usize>,
}

/// The headings that a new section needs.
#[derive(Debug)]
pub(crate) struct NewHeadings<'d, 'a> {
    /// The deepest heading of the path that exists.
    pub(crate) parent: Option<&'d Heading<'a>>,
    /// The headings below it that do not exist, the outermost first.
    pub(crate) missing: Vec<String>,
    /// The level of the last heading, if the path says it.
    pub(crate) level: Option<u8>,
}

impl HeadingPath {
    /// A path of headings, the outermost first.
    ///
    /// # Errors
    /// `Malformed` if there is no heading.
    pub fn new(headings: &[impl AsRef<str>]) -> Result<Self, TargetError> {
        let step =
            |heading: &dyn AsRef<str>| Step { heading: heading.as_ref().to_owned(), number: None };
        Self::from_steps(headings.iter().map(|heading| step(heading)).collect())
    }

    fn from_steps(steps: Vec<Step>) -> Result<Self, TargetError> {
        if steps.is_empty() {
            let expected = "expected at least one heading";
            return Err(TargetError::Malformed { given: "[]".to_owned(), expected });
        }
        let normal = |step: Step| Step { heading: normal_form(step.heading.trim()), ..step };
        Ok(Self(Form::List(steps.into_iter().map(normal).collect())))
    }

    /// Parses a text, or a list as JSON.
    ///
    /// # Errors
    /// `Malformed` for an empty text or list, and for a list of other things than headings and numbers from 1 after them.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        if let Ok(items) = serde_json::from_str::<Vec<Value>>(text)
            && items.iter().all(|item| item.is_string() || item.is_number())
        {
            return Self::from_items(text, &items);
        }
        let joined = normalize(text);
        if joined.is_empty() {
            let expected = "expected a heading, such as `Plan` or `Plan::Week 1`";
            return Err(TargetError::Malformed { given: text.to_owned(), expected });
        }
        Ok(Self(Form::Text(joined)))
    }

    fn from_items(text: &str, items: &[Value]) -> Result<Self, TargetError> {
        let mut steps: Vec<Step> = Vec::new();
        for item in items {
            let number = item.as_u64().and_then(|number| usize::try_from(number).ok());
            match (item.as_str(), number, steps.last_mut()) {
                (Some(heading), _, _) => {
                    steps.push(Step { heading: heading.to_owned(), number: None });
                }
                (None, Some(1..), Some(step)) if step.number.is_none() => step.number = number,
                _ => {
                    let expected = "a number counts equal headings from 1, and stands after one";
                    return Err(TargetError::Malformed { given: text.to_owned(), expected });
                }
            }
        }
        Self::from_steps(steps)
    }

    /// The one heading of a note that the path leads to.
    ///
    /// # Errors
    /// `Missing` with the nearest paths, `Ambiguous` with the lines and a name for each.
    pub fn find<'d, 'a>(&self, document: &'d Document<'a>) -> Result<&'d Heading<'a>, TargetError> {
        self.choose(document, &self.find_all(document, Extent::Ends))
    }

    /// The one heading that the whole path leads to.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub(crate) fn find_whole<'d, 'a>(
        &self,
        document: &'d Document<'a>,
    ) -> Result<&'d Heading<'a>, TargetError> {
        self.choose(document, &self.find_all(document, Extent::Whole))
    }

    fn choose<'d, 'a>(
        &self,
        document: &'d Document<'a>,
        found: &[&'d Heading<'a>],
    ) -> Result<&'d Heading<'a>, TargetError> {
        match *found {
            [heading] => Ok(heading),
            [] => Err(missing_error(document, &self.to_string())),
            _ => {
                let place = |heading: &&Heading<'a>| EqualPlace {
                    line: line_number(document, heading.span),
                    name: Some(write_list(document, heading)),
                };
                let places = found.iter().map(place).collect();
                Err(TargetError::Ambiguous { kind: "heading", name: self.to_string(), places })
            }
        }
    }

    /// The headings that the path leads to, at most so many as an error lists.
    fn find_all<'d, 'a>(&self, document: &'d Document<'a>, extent: Extent) -> Vec<&'d Heading<'a>> {
        let text = match &self.0 {
            Form::List(steps) => return find_steps(document, steps),
            Form::Text(text) => text,
        };
        let at_level = split_level(text);
        let names =
            [Some((text.as_str(), None)), at_level.map(|(level, text)| (text, Some(level)))];
        for (name, level) in names.into_iter().flatten() {
            for tried in [Extent::Whole, Extent::Ends].into_iter().filter(|tried| *tried <= extent)
            {
                let found = find_text(document, name, level, tried);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// What is missing of the path, and where it belongs.
    ///
    /// # Errors
    /// `Elsewhere` if the path is the end of that of an existing heading; `Ambiguous`; `Missing` for one of several equal
    /// headings that does not exist.
    pub(crate) fn plan<'d, 'a>(
        &self,
        document: &'d Document<'a>,
    ) -> Result<NewHeadings<'d, 'a>, TargetError> {
        let there = self.find_all(document, Extent::Ends);
        if !there.is_empty() {
            let there = there.iter().map(|heading| write_list(document, heading)).collect();
            return Err(TargetError::Elsewhere { name: self.to_string(), there });
        }
        let (steps, level) = match &self.0 {
            Form::List(steps) => (steps.clone(), None),
            Form::Text(text) => {
                let (level, text) = split_level(text)
                    .map_or((None, text.as_str()), |(level, text)| (Some(level), text));
                let headings = text.split(SEPARATOR).map(|heading| heading.trim().to_owned());
                (headings.map(|heading| Step { heading, number: None }).collect(), level)
            }
        };
        if matches!(self.0, Form::Text(_)) && steps.iter().any(|step| step.heading.is_empty()) {
            let expected = "expected a heading before and after each `::`";
            return Err(TargetError::Malformed { given: self.to_string(), expected });
        }
        let mut parent = None;
        let mut existing = 0;
        for length in (1..steps.len()).rev() {
            let start = match &self.0 {
                Form::List(_) => Self(Form::List(steps[..length].to_vec())),
                Form::Text(_) => {
                    Self(Form::Text(join_texts(steps[..length].iter().map(|step| &*step.heading))))
                }
            };
            match start.find_whole(document) {
                Ok(heading) => {
                    (parent, existing) = (Some(heading), length);
                    break;
                }
                Err(TargetError::Missing { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let missing = &steps[existing..];
        if missing.iter().any(|step| step.number.is_some()) {
            return Err(missing_error(document, &self.to_string()));
        }
        let missing = missing.iter().map(|step| step.heading.clone()).collect();
        Ok(NewHeadings { parent, missing, level })
    }
}

/// How much of the path of a heading a text must name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    /// All of it.
    Whole,
    /// Its end suffices.
    Ends,
}

impl Extent {
    /// Where the named part of a path of so many headings may start.
    fn starts(self, length: usize) -> std::ops::Range<usize> {
        match self {
            Self::Whole => 0..1.min(length),
            Self::Ends => 1.min(length)..length,
        }
    }
}

/// The headings with this joined path, or the end of one. If `::` can be read as what separates headings and as a part of one,
/// it separates.
fn find_text<'d, 'a>(
    document: &'d Document<'a>,
    name: &str,
    level: Option<u8>,
    extent: Extent,
) -> Vec<&'d Heading<'a>> {
    let depth = name.split(SEPARATOR).count();
    let lead = |path: Vec<&'d Heading<'a>>| {
        let heading = *path.last()?;
        let start = extent.starts(path.len()).find(|start| join(&path[*start..]) == name)?;
        let is_at_level = level.is_none_or(|level| heading.level == level);
        is_at_level.then_some((path.len() - start == depth, heading))
    };
    let found: Vec<(bool, &Heading<'a>)> = document.heading_paths().filter_map(lead).collect();
    let separates = found.iter().any(|(separates, _)| *separates);
    let found = found.into_iter().filter(|(kept, _)| *kept || !separates);
    found.map(|(_, heading)| heading).take(LISTED).collect()
}

fn find_steps<'d, 'a>(document: &'d Document<'a>, steps: &[Step]) -> Vec<&'d Heading<'a>> {
    let numbers = steps.iter().any(|step| step.number.is_some()).then(|| number_siblings(document));
    let is = |step: &Step, heading: &Heading<'_>| {
        step.heading == normal_form(heading.text.trim())
            && step.number.is_none_or(|number| {
                let known = numbers.as_ref().and_then(|numbers| numbers.get(&heading.span.start));
                known.is_some_and(|sibling| sibling.number == number)
            })
    };
    let leads = |path: &Vec<&Heading<'_>>| {
        path.len() == steps.len() && steps.iter().zip(path).all(|(step, heading)| is(step, heading))
    };
    let paths = document.heading_paths().filter(leads);
    paths.filter_map(|path| path.last().copied()).take(LISTED).collect()
}

/// A heading among those below the same heading with the same text.
#[derive(Clone, Copy)]
struct Sibling {
    /// From 1.
    number: usize,
    is_alone: bool,
}

/// All headings by their starts.
fn number_siblings(document: &Document<'_>) -> HashMap<usize, Sibling> {
    let key = |path: &[&Heading<'_>]| {
        let parent = path.len().checked_sub(2).map(|above| path[above].span.start);
        (parent, path.last().map(|heading| normal_form(heading.text.trim())))
    };
    let mut counts = HashMap::new();
    for path in document.heading_paths() {
        *counts.entry(key(&path)).or_insert(0_usize) += 1;
    }
    let mut seen = HashMap::new();
    let sibling = |path: Vec<&Heading<'_>>| {
        let (key, heading) = (key(&path), path.last()?.span.start);
        let is_alone = counts[&key] == 1;
        let number = seen.entry(key).and_modify(|number| *number += 1).or_insert(1_usize);
        Some((heading, Sibling { number: *number, is_alone }))
    };
    document.heading_paths().filter_map(sibling).collect()
}

/// A list that leads to a heading alone, as JSON.
fn write_list(document: &Document<'_>, heading: &Heading<'_>) -> String {
    let siblings = number_siblings(document);
    let path = document.heading_paths().find(|path| path.last() == Some(&heading));
    let mut items = Vec::new();
    for heading in path.into_iter().flatten() {
        items.push(Value::from(heading.text.trim()));
        if let Some(sibling) = siblings.get(&heading.span.start).filter(|sibling| !sibling.is_alone)
        {
            items.push(sibling.number.into());
        }
    }
    Value::Array(items).to_string()
}

/// A name that leads to a heading alone: its path as text, or a list.
fn write_name(document: &Document<'_>, heading: &Heading<'_>, text: &str) -> String {
    let is_found = HeadingPath::parse(text).and_then(|path| path.find(document)) == Ok(heading);
    if is_found { text.to_owned() } else { write_list(document, heading) }
}

/// The error for a heading that a note does not have.
pub(super) fn missing_error(document: &Document<'_>, name: &str) -> TargetError {
    let short = |path: &Vec<&Heading<'_>>| {
        path.iter().map(|heading| heading.text.len()).sum::<usize>() <= LONGEST
    };
    let mut there = HashMap::new();
    for path in document.heading_paths().filter(short).take(LOOKED_AT) {
        if let Some(heading) = path.last().copied() {
            there.entry(join(&path)).or_insert(heading);
        }
    }
    let mut names: Vec<String> = there.keys().cloned().collect();
    names.sort_unstable_by_key(|name| there[name].span.start);
    let mut error = TargetError::missing_error("heading", name, names);
    if let TargetError::Missing { near, .. } = &mut error {
        for name in near {
            *name = write_name(document, there[&*name], name);
        }
    }
    error
}

/// The text of headings, joined.
fn join(path: &[&Heading<'_>]) -> String {
    join_texts(path.iter().map(|heading| heading.text))
}

fn join_texts<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    normalize(&texts.map(str::trim).collect::<Vec<_>>().join(SEPARATOR))
}

/// A joined text in the form in which it is compared: without white space at its ends and around `::`.
fn normalize(text: &str) -> String {
    let parts: Vec<&str> = text.trim().split(SEPARATOR).map(str::trim).collect();
    normal_form(&parts.join(SEPARATOR))
}

fn split_level(text: &str) -> Option<(u8, &str)> {
    let rest = text.trim_start_matches('#');
    let level =
        u8::try_from(text.len() - rest.len()).ok().filter(|level| (1..=6).contains(level))?;
    let heading = rest.strip_prefix([' ', '\t'])?.trim();
    (!heading.is_empty()).then_some((level, heading))
}

impl fmt::Display for HeadingPath {
    /// Writes the text, or the list as JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = match &self.0 {
            Form::Text(text) => return f.write_str(text),
            Form::List(steps) => steps,
        };
        let items = steps.iter().flat_map(|step| {
            [Some(Value::from(&*step.heading)), step.number.map(Value::from)].into_iter().flatten()
        });
        write!(f, "{}", items.collect::<Value>())
    }
}
