//! Reading properties.

use serde_json::{Map, Value};

use crate::block::FrontmatterBlock;
use crate::node::{Invalid, Node, NodeValue};
use crate::span::Span;

/// Properties by key, in the order of the note.
pub type Properties = Map<String, Value>;

/// The frontmatter is not a YAML mapping of keys to values. It is never rewritten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the frontmatter is invalid at line {line}, column {column}: {reason}")]
pub struct InvalidFrontmatter {
    /// The line of the note, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// What is wrong there.
    pub reason: String,
}

/// Reads the properties of a note. Empty if it has no frontmatter.
///
/// Scalars follow the core schema of YAML 1.2, as in Obsidian: dates are text, `yes` is text,
/// `00123` is the number 123.
///
/// # Errors
/// If the frontmatter is invalid, with the reason and its position in the note.
pub fn read(text: &str) -> Result<Properties, InvalidFrontmatter> {
    match FrontmatterBlock::find(text) {
        Some(block) => properties(text, block),
        None => Ok(Properties::new()),
    }
}

/// Reads a whole text of YAML, such as a file, as properties. Empty if it has none.
///
/// # Errors
/// As [`read`], with the position in the text.
pub fn parse(yaml: &str) -> Result<Properties, InvalidFrontmatter> {
    let whole = Span::new(0, yaml.len());
    properties(yaml, FrontmatterBlock { span: whole, yaml: whole })
}

fn properties(text: &str, block: FrontmatterBlock) -> Result<Properties, InvalidFrontmatter> {
    let node = parse_mapping(text, block)?;
    Ok(match node.map(|node| node.to_value()) {
        Some(Value::Object(properties)) => properties,
        _ => Properties::new(),
    })
}

/// The tags in the properties, without `#`: the values of `tags`, a list or a single text.
pub fn tags(properties: &Properties) -> Vec<String> {
    texts_under(properties, &["tags"], |text| vec![text])
        .filter_map(|text| tag(&text).map(str::to_owned))
        .collect()
}

/// The tag that a value of the property `tags` is, without `#`.
///
/// As in Obsidian, a text with spaces or commas is neither a tag nor several tags, and a tag has a character that is no digit.
pub fn tag(value: &str) -> Option<&str> {
    let tag = value.trim().trim_start_matches('#');
    let is_tag =
        !tag.contains([',', ' ', '\t', '\n']) && tag.contains(|c: char| !c.is_ascii_digit());
    is_tag.then_some(tag)
}

/// Other names that the properties give a note: the values of `aliases` and `alias`, a list or a
/// comma-separated text.
pub fn aliases(properties: &Properties) -> Vec<String> {
    texts_under(properties, &["aliases", "alias"], |text| text.split(',').collect()).collect()
}

/// The texts under some keys, ignoring the keys' case.
fn texts_under<'a>(
    properties: &'a Properties,
    keys: &'a [&str],
    parts: fn(&str) -> Vec<&str>,
) -> impl Iterator<Item = String> + 'a {
    let named = |key: &String| keys.iter().any(|name| key.eq_ignore_ascii_case(name));
    let values = properties.iter().filter(move |(key, _)| named(key)).map(|(_, value)| value);
    let texts = values.flat_map(move |value| match value {
        Value::String(text) => parts(text).into_iter().map(str::to_owned).collect(),
        Value::Array(items) => items.iter().filter_map(scalar_text).collect(),
        other => scalar_text(other).into_iter().collect::<Vec<_>>(),
    });
    texts.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The mapping in a frontmatter block. Its spans are offsets in the YAML. `None` if it is empty.
pub(crate) fn parse_mapping(
    text: &str,
    block: FrontmatterBlock,
) -> Result<Option<Node>, InvalidFrontmatter> {
    let at = |invalid: Invalid| InvalidFrontmatter::from_invalid_yaml(text, block, invalid);
    let node = Node::parse(block.yaml.slice(text)).map_err(at)?;
    match node {
        Some(Node { shape: NodeValue::Mapping { .. }, .. }) | None => Ok(node),
        Some(Node { shape: NodeValue::Scalar { value: Value::Null, .. }, .. }) => Ok(None),
        Some(node) => {
            let reason = "expected `key: value` lines".to_owned();
            Err(at(Invalid { offset: node.span.start, reason }))
        }
    }
}

impl InvalidFrontmatter {
    fn from_invalid_yaml(text: &str, block: FrontmatterBlock, invalid: Invalid) -> Self {
        let offset = text.floor_char_boundary(block.yaml.start + invalid.offset);
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason: invalid.reason,
        }
    }
}
