//! Blocks that the user writes to call a tool: a fence at the margin with the name `toolwrit`, or the name of a category.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::{Map, Value};
use toolwrit_frontmatter::is_shallow;

use super::document::{Block, Document, Mistake, Part, UserFence};
use super::fence::write_fence;
use super::lines::lines_from;
use super::payload::escaped_yaml;

/// The name of the fences that call tools.
pub(crate) const FENCE: &str = "toolwrit";

/// A block that calls a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct RunBlock {
    /// Where the fence is in the note.
    pub range: Range<usize>,
    /// The line of the fence, from 1.
    pub line: usize,
    /// The tool as the block names it.
    pub tool: String,
    /// The name of the fence, if it is that of a category: the tool may be one of its tools.
    pub category: Option<String>,
    /// The other fields of the block.
    pub arguments: Map<String, Value>,
}

impl RunBlock {
    /// The names that the tool may have, the likeliest first: within the category of the fence, and as the block names it.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let within = self.category.as_ref().map(|category| format!("{category}.{}", self.tool));
        within.into_iter().chain([self.tool.clone()])
    }
}

/// The most that a block may have.
const MAX_BYTES: usize = 256 * 1024;
/// How deeply the values of a block, or of the properties, may be nested.
pub(super) const MAX_DEPTH: usize = 64;

/// A fence that calls a tool, whether or not it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFence {
    /// Where the fence is in the note.
    pub range: Range<usize>,
    /// Where its YAML is in the note.
    pub body: Range<usize>,
    /// The line of the fence, from 1.
    pub line: usize,
    /// The name of the fence, if it is that of a category.
    pub category: Option<String>,
}

impl Document<'_> {
    /// The fences that call tools, in order. Those with the names of `categories` call tools, too.
    #[must_use]
    pub fn call_fences(&self, categories: &[&str]) -> Vec<CallFence> {
        let fences = self.parts().iter().flat_map(|part| match part {
            Part::Text(text) => text.fences.as_slice(),
            _ => &[],
        });
        fences.filter_map(|fence| self.call_fence(fence, categories)).collect()
    }

    fn call_fence(&self, fence: &UserFence, categories: &[&str]) -> Option<CallFence> {
        let name = self.text().get(fence.info.clone())?.trim();
        let category = find_category(name, categories).map(str::to_owned);
        if fence.indent > 0 || !(name == FENCE || category.is_some()) {
            return None;
        }
        let body = self.text().get(fence.body.clone())?;
        // Other code may have the name of a category.
        if category.is_some() && !body.lines().any(|line| line.starts_with("tool:")) {
            return None;
        }
        let UserFence { range, body, line, .. } = fence.clone();
        Some(CallFence { range, body, line, category })
    }

    /// Reads a fence that calls a tool.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn run_block(&self, fence: &CallFence) -> Result<RunBlock, Mistake> {
        let body = self.text().get(fence.body.clone()).unwrap_or_default();
        let CallFence { range, line, category, .. } = fence.clone();
        let (tool, arguments) = parse_fields(body, line)?;
        Ok(RunBlock { range, line, tool, category, arguments })
    }

    /// The blocks that call tools, in order. Fences with the names of `categories` are such blocks, too.
    #[must_use]
    pub fn run_blocks(&self, categories: &[&str]) -> Vec<Result<RunBlock, Mistake>> {
        self.call_fences(categories).iter().map(|fence| self.run_block(fence)).collect()
    }

    /// The result block of a block: the one that follows it with nothing but blank lines between.
    #[must_use]
    pub fn find_result(&self, block: &RunBlock) -> Option<&Block> {
        let found = self.blocks().find(|found| found.range.start >= block.range.end)?;
        let between = self.text().get(block.range.end..found.range.start)?;
        let is_result = found.header.kind == super::Kind::Tool && between.trim().is_empty();
        is_result.then_some(found)
    }
}

/// The category that a fence names, also by the name that another program gave a server before it was imported: `Memory Server`
/// is `memory-server`.
fn find_category<'a>(name: &str, categories: &[&'a str]) -> Option<&'a str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let plain = |c: char| if is_plain(c) { c.to_ascii_lowercase() } else { '-' };
    let imported: String = name.chars().map(plain).collect();
    let names = [name, imported.trim_matches('-')];
    names.iter().find_map(|name| categories.iter().find(|category| *category == name).copied())
}

/// Writes a block that calls a tool. The tool must have no parameter `tool`.
#[must_use]
pub fn call_block(tool: &str, arguments: &Map<String, Value>) -> String {
    let mut body = String::new();
    // Writing to a string cannot fail. JSON on one line is YAML, too.
    let _ = writeln!(body, "tool: {}", quote_scalar(tool));
    for (name, value) in arguments {
        let name = quote_scalar(name);
        let _ = match value {
            Value::String(text) => writeln!(body, "{name}: {}", quote_scalar(text)),
            value => writeln!(body, "{name}: {}", escaped_yaml(value)),
        };
    }
    write_fence(FENCE, body.trim_end())
}

/// A text as YAML on one line: without quotes if it is a word or a path.
fn quote_scalar(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_alphabetic())
        && text.chars().all(|c| c.is_alphanumeric() || "_-./ ".contains(c))
        && !text.ends_with(' ')
        && matches!(serde_yaml::from_str(text), Ok(Value::String(read)) if read == text);
    if is_plain { text.to_owned() } else { escaped_yaml(&Value::from(text)) }
}

fn parse_fields(body: &str, line: usize) -> Result<(String, Map<String, Value>), Mistake> {
    let wrong = |line: usize, message: String| Mistake { line, message };
    if body.len() > MAX_BYTES {
        return Err(wrong(
            line,
            format!("the block has {} bytes, and at most {MAX_BYTES} are possible.", body.len()),
        ));
    }
    if !is_shallow(body, MAX_DEPTH) {
        let message =
            format!("the values of the block are nested more than {MAX_DEPTH} levels deep.");
        return Err(wrong(line, message));
    }
    let parsed: Value = serde_yaml::from_str(body).map_err(|error| {
        let place = error.location().map_or(line, |place| line + place.line());
        let reason = error.to_string();
        let reason = reason.split(" at line").next().unwrap_or_default();
        wrong(place, format!("the block is not valid YAML: {reason}. Write `NAME: VALUE` on each line, and quote texts with `: ` or `#`."))
    })?;
    let Value::Object(mut fields) = parsed else {
        return Err(wrong(
            line,
            "the block has no fields. Write `tool: NAME` and the parameters, one on a line."
                .to_owned(),
        ));
    };
    match fields.shift_remove("tool") {
        Some(Value::String(tool)) if !tool.trim().is_empty() => {
            Ok((tool.trim().to_owned(), fields))
        }
        Some(_) => Err(wrong(
            line_of(body, line),
            "`tool` is the name of a tool, such as `tool: vault.read`.".to_owned(),
        )),
        None => Err(wrong(
            line,
            "the block names no tool. Add a line such as `tool: vault.read`.".to_owned(),
        )),
    }
}

fn line_of(body: &str, fence: usize) -> usize {
    lines_from(body, 0)
        .find(|line| line.text.starts_with("tool"))
        .map_or(fence, |line| fence + line.number)
}
