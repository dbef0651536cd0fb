use serde::Deserialize;

use super::{Code, List, Path, Request, Template, Text};

/// A read before the request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Step {
    /// Its name, by which templates refer to what it found.
    pub name: Text,
    /// Whether the step is left out if one of its values is absent.
    #[serde(default)]
    pub optional: bool,
    /// The request, a `GET`.
    pub request: Request,
    /// Which element of the answer is meant; `None` for the whole answer.
    #[serde(default)]
    pub pick: Option<Pick>,
    /// What the answer, or the picked element, must say.
    #[serde(default)]
    pub require: List<Requirement>,
    /// The failure if it does not.
    pub otherwise: Code,
}

/// Picks the only element with certain values.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Pick {
    /// The list.
    pub from: Path,
    /// The values.
    pub r#where: List<Requirement>,
    /// The JSON pointer of the argument that says which element is meant.
    pub at: Option<Text>,
    /// Where an element has the value to suggest.
    pub offer: Option<Path>,
}

/// A value that must be at a path.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Requirement {
    pub path: Path,
    /// The value.
    pub value: Template,
}
