//! Converts between parameters, places in notes, and the content of answers.

use std::collections::BTreeSet;

use toolwrit::Json;
use toolwrit_vault::NotePart;
use toolwrit_vault::document::{Document, Link, LinkKind, Span};
use toolwrit_vault::frontmatter::{self, FrontmatterBlock, Properties};
use toolwrit_vault::patch::{
    Action, IfPresent, IfTargetMissing, Patch, PatchContent, PatchError, PatchScope, PatchTarget,
};
use toolwrit_vault::target::{BlockId, HeadingPath, TargetError};

use super::sizes::to_integer;
use crate::operations::{types, vault};

/// Returns the part of a note that a call asks for; `None` for the whole note.
pub(super) fn requested_part(p: &vault::Read) -> Result<Option<NotePart>, TargetError> {
    Ok(match (&p.lines, &p.heading, &p.block) {
        (None, None, None) => None,
        (Some(range), None, None) => Some(parse_lines(range)?),
        (None, Some(heading), None) => Some(NotePart::Heading(HeadingPath::parse(heading)?)),
        (None, None, Some(block)) => Some(NotePart::Block(BlockId::parse(block)?)),
        _ => {
            let expected = "give only one of lines, heading and block";
            return Err(TargetError::Malformed { given: "several parts".to_owned(), expected });
        }
    })
}

/// Parses a range of lines: `3`, `3-9` or `3-`.
pub(super) fn parse_lines(range: &str) -> Result<NotePart, TargetError> {
    let malformed = |_| TargetError::Malformed {
        given: range.to_owned(),
        expected: "expected lines such as 3, 3-9 or 3-",
    };
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let last = (!last.is_empty()).then(|| last.parse()).transpose().map_err(malformed)?;
    let first = first.parse().map_err(malformed)?;
    if last.is_some_and(|last| last < first) {
        let expected = "the last line must not come before the first";
        return Err(TargetError::Malformed { given: range.to_owned(), expected });
    }
    Ok(NotePart::Lines { first, last })
}

/// Parses a path of headings, from a text or a list.
fn parse_heading_path(target: &Json) -> Result<HeadingPath, TargetError> {
    HeadingPath::parse(&to_text(target))
}

/// A text unchanged, any other value as JSON.
fn to_text(target: &Json) -> String {
    target.as_str().map_or_else(|| target.to_string(), str::to_owned)
}

/// The one name that a target has, as a text or in a list, which may be written as JSON.
fn parse_only_name(target: &Json) -> Result<String, TargetError> {
    let listed = serde_json::from_str(&to_text(target)).ok();
    let names = listed.unwrap_or_else(|| vec![target.clone()]);
    match names.as_slice() {
        [name] if !name.is_array() && !name.is_object() && !to_text(name).trim().is_empty() => {
            Ok(to_text(name))
        }
        _ => Err(TargetError::Malformed { given: to_text(target), expected: "expected one name" }),
    }
}

/// Converts the parameters of `vault.patch`.
pub(super) fn convert_patch(p: vault::Patch) -> Result<Patch, PatchError> {
    let target = match p.target_type {
        types::TargetType::Heading => PatchTarget::Heading(parse_heading_path(&p.target)?),
        types::TargetType::Block => {
            PatchTarget::Block(BlockId::parse(&parse_only_name(&p.target)?)?)
        }
        types::TargetType::Frontmatter => PatchTarget::Property(parse_only_name(&p.target)?),
    };
    let content = p.content.map(|content| match content {
        Json::String(text) => PatchContent::Text(text),
        value if is_text(&value, &target) => PatchContent::Text(value.to_string()),
        value => PatchContent::Value(value),
    });
    let action = match (p.operation, content) {
        (types::PatchOperation::Append, Some(content)) => Action::Append(content),
        (types::PatchOperation::Prepend, Some(content)) => Action::Prepend(content),
        (types::PatchOperation::Replace, Some(content)) => Action::Replace(content),
        (types::PatchOperation::Delete, None) => Action::Delete,
        (types::PatchOperation::Delete, Some(_)) => {
            return Err(PatchError::Unsupported("delete takes no content"));
        }
        (_, None) => {
            return Err(PatchError::Unsupported("append, prepend and replace need content"));
        }
    };
    Ok(Patch {
        target,
        action,
        scope: match p.scope {
            types::PatchScope::Content => PatchScope::Content,
            types::PatchScope::Marker => PatchScope::Marker,
            types::PatchScope::MarkerAndContent => PatchScope::MarkerAndContent,
        },
        if_missing: if p.create_if_missing {
            IfTargetMissing::Create
        } else {
            IfTargetMissing::Fail
        },
        if_present: if p.reject_if_present { IfPresent::Reject } else { IfPresent::Apply },
    })
}

/// Whether a value is text that only looks like one, as `2026` from a command line: only properties take numbers. Numbers
/// with a fraction may have been written otherwise, as `1.10`, and are refused.
fn is_text(value: &Json, target: &PatchTarget) -> bool {
    !matches!(target, PatchTarget::Property(_))
        && (value.is_boolean() || value.is_i64() || value.is_u64())
}

/// Maximum number each of headings, links and tags in an answer, whose size is limited.
const MAX_LISTED: usize = 5_000;

/// Adds the structure of a note to an answer that contains its text. In the place of invalid frontmatter is
/// what is wrong in it.
pub(super) fn add_outline(content: &mut types::NoteContent, document: &Document<'_>) {
    let properties = frontmatter::read(document.text).unwrap_or_else(|invalid| {
        content.frontmatter_error = Some(invalid.to_string());
        Properties::new()
    });
    if FrontmatterBlock::is_unclosed(document.text) {
        content.frontmatter_error =
            Some("the frontmatter has no end: a second line `---` is missing".to_owned());
    }
    let tags = collect_tags(document, &properties);
    let numbers = LineNumbers::new(document.text);
    let internal = document.links.iter().filter(|link| !link.is_external());
    let links = internal.map(|link| convert_link(link, numbers.line(link.span)));
    let headings = document.headings.iter().map(|heading| types::NoteHeading {
        level: i64::from(heading.level),
        text: heading.text.to_owned(),
        line: numbers.line(heading.span),
    });
    let most = document.headings.len().max(document.links.len()).max(tags.len());
    if most > MAX_LISTED {
        content.truncated = Some(true);
    }
    content.headings = Some(headings.take(MAX_LISTED).collect());
    content.links = Some(links.take(MAX_LISTED).collect());
    content.tags = Some(tags.into_iter().take(MAX_LISTED).collect());
    content.frontmatter = (!properties.is_empty()).then(|| Json::Object(properties));
}

/// The tags of the properties and of the text, without duplicates.
fn collect_tags(document: &Document<'_>, properties: &Properties) -> Vec<String> {
    let written = document.tags.iter().map(|tag| tag.name.to_owned());
    let mut seen = BTreeSet::new();
    let tags = frontmatter::tags(properties).into_iter().chain(written);
    tags.filter(|tag| seen.insert(tag.to_lowercase())).collect()
}

fn convert_link(link: &Link<'_>, number: i64) -> types::NoteLink {
    types::NoteLink {
        target: link.target.to_string(),
        subpath: link.subpath.as_ref().map(ToString::to_string),
        text: link.display.map(str::to_owned),
        embed: matches!(link.kind, LinkKind::Embed | LinkKind::Image),
        line: number,
    }
}

/// The offsets of the line endings of a text.
struct LineNumbers(Vec<usize>);

impl LineNumbers {
    fn new(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(offset, _)| offset).collect())
    }

    /// The number of the line where a span starts, from 1.
    fn line(&self, span: Span) -> i64 {
        let before = self.0.partition_point(|&ending| ending < span.start);
        to_integer(before + 1)
    }
}
