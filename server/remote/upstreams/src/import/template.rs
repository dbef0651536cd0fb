//! Texts with variables: `${NAME}`, `${NAME:-otherwise}`, and `${env:NAME}` as in VS Code and Cursor. An input of VS Code,
//! `${input:api-key}`, is the variable `API_KEY`, because nobody can be asked when a server starts. A secret or an input of Continue,
//! `${{ secrets.API_KEY }}`, is the variable of its name.

use std::fmt;

/// A text with variables of the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Variable { name: String, otherwise: Option<String> },
}

/// A variable that is not set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the variable `{name}` is not set; set it, or write `${{{name}:-value}}`")]
pub struct Unset {
    pub name: String,
}

impl Template {
    /// Reads a text.
    ///
    /// # Errors
    /// What is wrong with a variable in it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            parts.extend(literal(before));
            let (part, after) = match after.strip_prefix('{') {
                Some(after) => ended(after, "}}").map(|(inside, after)| (secret(inside), after))?,
                None => ended(after, "}").map(|(inside, after)| (variable(inside), after))?,
            };
            parts.push(part?);
            rest = after;
        }
        parts.extend(literal(rest));
        Ok(Self(parts))
    }

    pub(super) fn variable(name: &str) -> Self {
        Self(vec![Part::Variable { name: name.to_owned(), otherwise: None }])
    }

    /// Writes another text before it.
    pub(super) fn after(self, text: &str) -> Self {
        Self(literal(text).into_iter().chain(self.0).collect())
    }

    /// The names of its variables.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Variable { name, .. } => Some(name.as_str()),
        })
    }

    /// Replaces the variables. Values are not searched for further ones. An empty value counts as not set if there
    /// is another one, as in shells.
    ///
    /// # Errors
    /// The first variable that is not set.
    pub fn fill(&self, variable: impl Fn(&str) -> Option<String>) -> Result<String, Unset> {
        let part = |part: &Part| match part {
            Part::Text(text) => Ok(text.clone()),
            Part::Variable { name, otherwise: None } => {
                variable(name).ok_or_else(|| Unset { name: name.clone() })
            }
            Part::Variable { name, otherwise: Some(otherwise) } => {
                let value = variable(name).filter(|value| !value.is_empty());
                Ok(value.unwrap_or_else(|| otherwise.clone()))
            }
        };
        self.0.iter().map(part).collect()
    }
}

impl fmt::Display for Template {
    /// Writes the text with its variables, as [`Template::parse`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Part::Text(text) => f.write_str(text),
            Part::Variable { name, otherwise: None } => write!(f, "${{{name}}}"),
            Part::Variable { name, otherwise: Some(value) } => write!(f, "${{{name}:-{value}}}"),
        })
    }
}

/// Writes each `$NAME` of a text as `${NAME}`.
pub(super) fn braced(text: &str) -> String {
    let mut whole = String::with_capacity(text.len() + 2);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        whole.push_str(before);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = after.find(|c| !is_part(c)).unwrap_or(after.len());
        let (name, then) = after.split_at(end);
        if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            whole.extend(["${", name, "}"]);
            rest = then;
        } else {
            whole.push('$');
            rest = after;
        }
    }
    whole + rest
}

fn literal(text: &str) -> Option<Part> {
    (!text.is_empty()).then(|| Part::Text(text.to_owned()))
}

/// What stands before the end of a variable, and what follows.
fn ended<'a>(text: &'a str, end: &str) -> Result<(&'a str, &'a str), String> {
    text.split_once(end).ok_or_else(|| format!("`${{` has no `{end}`; expected `${{NAME}}`"))
}

/// A variable of Continue.
fn secret(inside: &str) -> Result<Part, String> {
    let name = inside.trim();
    let name = name.strip_prefix("secrets.").or_else(|| name.strip_prefix("inputs."));
    name.map_or_else(|| variable(inside), variable)
}

fn variable(inside: &str) -> Result<Part, String> {
    if let Some(input) = inside.strip_prefix("input:") {
        let name = input.to_ascii_uppercase().replace(['-', '.'], "_");
        return variable(&name);
    }
    let inside = inside.strip_prefix("env:").unwrap_or(inside);
    let (name, otherwise) = match inside.split_once(":-") {
        Some((name, otherwise)) => (name, Some(otherwise.to_owned())),
        None => (inside, None),
    };
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err(format!(
            "`${{{}}}` is not a variable of the environment; expected `${{NAME}}`, \
             `${{NAME:-otherwise}}` or `${{env:NAME}}`",
            toolwrit_text::shorten::visible_line(inside, 60)
        ));
    }
    Ok(Part::Variable { name: name.to_owned(), otherwise })
}
