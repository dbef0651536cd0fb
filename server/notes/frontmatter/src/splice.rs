//! The smallest edits that turn one YAML value into another.
//!
//! Lists keep their common items, mappings their common entries. Only what differs is
//! replaced, in the existing style. If a construct is too unusual for that, the result is `None`,
//! and the caller replaces more.

use serde_json::{Map, Value};

use crate::gaps::{Gap, find_gaps};
use crate::node::{MapEntry, Node, NodeValue, ScalarStyle, StructureStyle};
use crate::render;
use crate::span::Span;

/// How to write texts of several lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineBreaks {
    /// Written in literal style, below their key.
    Literal,
    /// Quoted, on one line.
    Quoted,
}

/// Replacements in a YAML text; they do not overlap.
pub(super) struct Splices<'a> {
    yaml: &'a str,
    lines: LineBreaks,
    made: Vec<(Span, String)>,
}

#[derive(Clone, Copy)]
enum Position {
    /// After a key in a block; `after` is the byte after the colon.
    MapEntry { after: usize, indent: usize },
    /// After a dash.
    Item,
    /// Inside `[]` or `{}`; `after` is the byte after the colon, if there is a key.
    Flow { after: Option<usize> },
}

impl<'a> Splices<'a> {
    pub(super) fn new(yaml: &'a str, lines: LineBreaks) -> Self {
        Self { yaml, lines, made: Vec::new() }
    }

    /// The edited text; new lines end with `newline`.
    pub(super) fn apply(mut self, newline: &str) -> String {
        self.made.sort_by_key(|(span, _)| *span);
        let mut edited = String::with_capacity(self.yaml.len() + 64);
        let mut end = 0;
        for (span, new) in &self.made {
            edited.push_str(&self.yaml[end..span.start.max(end)]);
            edited.push_str(&new.replace('\n', newline));
            end = span.end.max(end);
        }
        edited.push_str(&self.yaml[end..]);
        edited
    }

    fn replace(&mut self, start: usize, end: usize, new: impl Into<String>) {
        self.made.push((Span::new(start, end), new.into()));
    }

    fn insert(&mut self, at: usize, new: impl Into<String>) {
        self.replace(at, at, new);
    }

    /// Replaces the lines of an entry.
    pub(super) fn rewrite(&mut self, entry: &MapEntry, value: &Value) -> Option<()> {
        let start = self.line_start_of_key(entry.key_span.start)?;
        let end = self.next_line_start(entry.value.span.end);
        self.replace(
            start,
            end,
            render::entry(&entry.key, value, self.indent(entry.key_span.start)),
        );
        Some(())
    }

    /// Replaces the key of an entry.
    pub(super) fn rename(&mut self, entry: &MapEntry, key: &str) {
        self.replace(entry.key_span.start, entry.key_span.end, render::key(key));
    }

    /// Removes an entry and the blank lines below it, which must not become part of the entry
    /// above.
    pub(super) fn remove(&mut self, entry: &MapEntry) -> Option<()> {
        let start = self.line_start_of_key(entry.key_span.start)?;
        let end = self.end_of_entry(entry);
        let below = &self.yaml[end..];
        let text = below.len() - below.trim_start().len();
        self.replace(start, self.line_start(end + text), "");
        Some(())
    }

    /// Adds an entry to the top-level block.
    pub(super) fn add(&mut self, key: &str, value: &Value) {
        self.insert(self.yaml.len(), render::entry(key, value, 0));
    }

    /// Turns the mapping `entries` of a node into `new`.
    pub(super) fn edit_mapping(&mut self, node: &Node, new: &Map<String, Value>) -> Option<()> {
        let NodeValue::Mapping { entries, style } = &node.shape else { return None };
        let gone: Vec<bool> = entries.iter().map(|entry| !new.contains_key(&entry.key)).collect();
        for (entry, gone) in entries.iter().zip(&gone) {
            if let (Some(value), false) = (new.get(&entry.key), gone) {
                let after = self.after_colon(entry);
                let position = match style {
                    StructureStyle::Flow => Position::Flow { after },
                    StructureStyle::Block => Position::MapEntry {
                        after: after?,
                        indent: self.indent(entry.key_span.start),
                    },
                };
                self.edit_value(&entry.value, position, value)?;
            }
        }
        let added = new.iter().filter(|(key, _)| entries.iter().all(|old| old.key != **key));
        let added: Vec<_> = added.collect();
        match style {
            StructureStyle::Block => {
                for entry in
                    entries.iter().zip(&gone).filter_map(|(entry, gone)| gone.then_some(entry))
                {
                    let start = self.line_start_of_key(entry.key_span.start)?;
                    self.replace(start, self.end_of_entry(entry), "");
                }
                let indent = self.indent(entries.first()?.key_span.start);
                let end = self.next_line_start(entries.last()?.value.span.end);
                let added: String =
                    added.iter().map(|(key, value)| render::entry(key, value, indent)).collect();
                self.insert(end, added);
            }
            StructureStyle::Flow => {
                let mut spans = Vec::with_capacity(entries.len());
                for entry in entries {
                    let end = self.after_colon(entry)?.max(entry.value.span.end);
                    spans.push(Span::new(entry.key_span.start, end));
                }
                self.remove_from_flow(&spans, &gone)?;
                for (key, value) in added {
                    let single = Map::from_iter([(key.clone(), value.clone())]);
                    let written = render::inline(&single.into(), ScalarStyle::Plain, true);
                    let written = written.trim_start_matches('{').trim_end_matches('}');
                    self.insert(spans.last()?.end, format!(", {written}"));
                }
            }
        }
        Some(())
    }

    /// Turns a value into `new`.
    fn edit_value(&mut self, node: &Node, position: Position, new: &Value) -> Option<()> {
        if node.to_value() == *new {
            return Some(());
        }
        match (&node.shape, new) {
            _ if node.is_alias(self.yaml) => self.replace_value(node, position, new),
            (NodeValue::Sequence { items, style }, Value::Array(values))
                if !items.is_empty() && !values.is_empty() =>
            {
                self.edit_sequence(items, *style, values)
            }
            (NodeValue::Mapping { entries, .. }, Value::Object(values))
                if !entries.is_empty()
                    && values.keys().any(|key| entries.iter().any(|e| e.key == *key)) =>
            {
                self.edit_mapping(node, values)
            }
            _ => self.replace_value(node, position, new),
        }
    }

    /// Turns a list into another. The items that both have stay as they are; between them, items are edited in their
    /// places, added and removed.
    fn edit_sequence(
        &mut self,
        items: &[Node],
        style: StructureStyle,
        new: &[Value],
    ) -> Option<()> {
        let position = match style {
            StructureStyle::Block => Position::Item,
            StructureStyle::Flow => Position::Flow { after: None },
        };
        let mut gone = vec![false; items.len()];
        for Gap { old: places, new: values } in find_gaps(items, new) {
            let edited = places.len().min(values.len());
            let (end, added) = (places.start + edited, values.start + edited..values.end);
            for (item, value) in items[places.start..end].iter().zip(&new[values]) {
                self.edit_value(item, position, value)?;
            }
            gone[end..places.end].fill(true);
            if !added.is_empty() {
                self.add_items(items, end, style, &new[added])?;
            }
        }
        match style {
            StructureStyle::Block => {
                let mut removed = items.iter().zip(&gone).filter(|(_, gone)| **gone);
                removed.try_for_each(|(item, _)| self.remove_item_lines(item))
            }
            StructureStyle::Flow => {
                let spans: Vec<Span> = items.iter().map(|item| item.span).collect();
                self.remove_from_flow(&spans, &gone)
            }
        }
    }

    /// Adds items to a list before the one at a position.
    fn add_items(
        &mut self,
        items: &[Node],
        at: usize,
        style: StructureStyle,
        added: &[Value],
    ) -> Option<()> {
        let before = at.checked_sub(1).map(|before| items[before].span.end);
        match style {
            StructureStyle::Block => {
                let first = self.find_dash(items.first()?)?;
                let margin = &self.yaml[self.line_start(first)..first];
                let place =
                    before.map_or_else(|| self.line_start(first), |end| self.next_line_start(end));
                let added: String = added.iter().map(|value| render::item(value, margin)).collect();
                self.insert(place, added);
            }
            StructureStyle::Flow => {
                let written = |value| render::inline(value, ScalarStyle::Plain, true);
                let added = added.iter().map(written).collect::<Vec<_>>().join(", ");
                match before {
                    Some(end) => self.insert(end, format!(", {added}")),
                    None => self.insert(items.first()?.span.start, format!("{added}, ")),
                }
            }
        }
        Some(())
    }

    /// Removes the lines of an item of a block list.
    fn remove_item_lines(&mut self, item: &Node) -> Option<()> {
        let dash = self.find_dash(item)?;
        self.replace(self.line_start(dash), self.next_line_start(item.span.end), "");
        Some(())
    }

    /// Removes items and the commas between them from `[]` or `{}`. At least one item must stay.
    fn remove_from_flow(&mut self, items: &[Span], gone: &[bool]) -> Option<()> {
        let leading = gone.iter().take_while(|gone| **gone).count();
        if leading > 0 {
            self.replace(items[0].start, items.get(leading)?.start, "");
        }
        for index in leading + 1..items.len() {
            if gone[index] {
                self.replace(items[index - 1].end, items[index].end, "");
            }
        }
        Some(())
    }

    /// Replaces a value that has nothing in common with the new one.
    fn replace_value(&mut self, node: &Node, position: Position, new: &Value) -> Option<()> {
        let Position::MapEntry { after, indent } = position else {
            let old = self.written_span(node, position)?;
            let in_flow = matches!(position, Position::Flow { .. });
            self.replace_spaced(old, position, render::inline(new, node.scalar_style(), in_flow));
            return Some(());
        };
        let block = if render::is_inline(new) || node.is_flow() {
            String::new()
        } else {
            render::block(new, indent + 2)
        };
        let old = if node.is_block() {
            let start = self.line_start(node.span.start);
            self.replace(start, self.next_line_start(node.span.end), block.as_str());
            Span::new(after, after)
        } else {
            let old = self.written_span(node, position)?;
            self.insert(self.next_line_start(old.end), block.as_str());
            old
        };
        if block.is_empty() {
            let literal = match new {
                Value::String(text) if self.lines == LineBreaks::Literal => {
                    render::literal(text, indent)
                }
                _ => None,
            };
            let inline = || render::inline(new, node.scalar_style(), false);
            self.replace_spaced(old, position, literal.unwrap_or_else(inline));
        } else {
            self.replace(after, old.end, "");
        }
        Some(())
    }

    /// Replaces a value, adding a space before it if there was none.
    fn replace_spaced(&mut self, old: Span, position: Position, new: String) {
        let after = match position {
            Position::MapEntry { after, .. } => Some(after),
            Position::Flow { after } => after,
            Position::Item => old.is_empty().then_some(old.start),
        };
        let new = if after == Some(old.start) && !new.is_empty() { format!(" {new}") } else { new };
        self.replace(old.start, old.end, new);
    }

    /// The span of a value, including its header; if it is empty, the place right after the colon
    /// or dash.
    fn written_span(&self, node: &Node, position: Position) -> Option<Span> {
        let after = match position {
            Position::MapEntry { after, .. } => after,
            Position::Flow { after } => after.unwrap_or(node.span.start),
            Position::Item => self.find_dash(node)? + 1,
        };
        if node.span.is_empty() && !node.decorated {
            return Some(Span::new(after, after));
        }
        let content = node.span.slice(self.yaml).trim_end();
        let end = node.span.start + content.len();
        let start = match &node.shape {
            NodeValue::Scalar { style: ScalarStyle::Literal | ScalarStyle::Folded, .. } => {
                let header = &self.yaml[after..];
                let start = after + header.len() - header.trim_start().len();
                (!node.decorated).then_some(start)?
            }
            _ => node.span.start,
        };
        Some(Span::new(start, end))
    }

    /// The byte after the colon of an entry.
    fn after_colon(&self, entry: &MapEntry) -> Option<usize> {
        let rest = &self.yaml[entry.key_span.end..];
        let colon = rest.len() - rest.trim_start().len();
        rest[colon..].starts_with(':').then_some(entry.key_span.end + colon + 1)
    }

    /// The dash of a block list's item, if it is the first character on its line.
    fn find_dash(&self, item: &Node) -> Option<usize> {
        let line = self.line_start(item.span.start);
        let before = &self.yaml[line..item.span.start];
        let margin = before.len() - before.trim_start().len();
        let between = before[margin..].strip_prefix('-')?;
        (between.trim().is_empty() || item.decorated).then_some(line + margin)
    }

    /// The start of the line of a key, if the key is the first thing on it.
    fn line_start_of_key(&self, key: usize) -> Option<usize> {
        let start = self.line_start(key);
        matches!(self.yaml[start..key].trim(), "" | "?").then_some(start)
    }

    /// The indentation of a key. Any other text before it counts like space.
    fn indent(&self, key: usize) -> usize {
        let before = &self.yaml[self.line_start(key)..key];
        before.len() - before.trim_start_matches([' ', '-']).len()
    }

    fn line_start(&self, offset: usize) -> usize {
        self.yaml[..offset].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The start of the line after an end offset. The line endings of a block scalar belong to it.
    fn next_line_start(&self, end: usize) -> usize {
        let end = self.yaml[..end].trim_end().len();
        self.yaml[end..].find('\n').map_or(self.yaml.len(), |newline| end + newline + 1)
    }

    /// The start of the line after an entry and after the comments below it with the same
    /// indentation.
    fn end_of_entry(&self, entry: &MapEntry) -> usize {
        let indent = self.indent(entry.key_span.start);
        let mut at = self.next_line_start(entry.value.span.end);
        let mut end = at;
        for line in self.yaml[at..].split_inclusive('\n') {
            at += line.len();
            let text = line.trim_start_matches(' ');
            match text.trim().chars().next() {
                Some('#') if line.len() - text.len() > indent => end = at,
                None => {}
                Some(_) => break,
            }
        }
        end
    }
}
