//! Parses YAML text. This is the only file that uses the YAML crate.

use std::collections::HashMap;
use std::ops::ControlFlow;

use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span};
use serde_json::Value;

use super::node::{Kind, Node, Text};
use super::plain_scalar::{Plain, plain_scalar};
use super::unquoted;
use crate::diagnostics::{Place, Problem, Report};
use crate::injection::hidden;

/// Size limit of a file, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 500_000;

/// Reads one document. `None` if the text is not YAML or exceeds a limit, which is reported. YAML
/// that the language does not allow (anchors, tags, duplicate keys) is reported and skipped.
pub(crate) fn parse(file: usize, text: &str, report: &mut Report) -> Option<Node> {
    if text.len() > MAX_BYTES {
        report.push(
            Problem::error(Place::start_of(file), "the file is too large")
                .expected(format!("at most {MAX_BYTES} bytes"))
                .help("split it, and list the parts under `include`"),
        );
        return None;
    }
    let options = granit_parser::options! {
        disallow_directives: true,
        emit_unresolved_aliases: true,
        emit_comments: false,
    };
    let mut tree = Tree { file, text, report, open: Vec::new(), root: None, nodes: 0 };
    for event in Parser::new_from_str_with_options(text, options) {
        let step = match event {
            Ok((event, span)) => tree.take(event, span),
            Err(error) => {
                let problem = tree.invalid(&error);
                tree.stop(problem)
            }
        };
        if step.is_break() {
            return None;
        }
    }
    let empty = Node { place: Place::start_of(file), kind: Kind::Null };
    Some(tree.root.unwrap_or(empty))
}

/// Reads a value inside a string, such as the default in `integer = 5`.
pub(crate) fn parse_value(text: &str) -> Result<Value, String> {
    let mut report = Report::default();
    let value = parse(0, text, &mut report).and_then(|node| node.to_value());
    match (report.into_problems().first(), value) {
        (None, Some(value)) => Ok(value),
        (Some(problem), _) => Err(problem.message().to_owned()),
        (None, None) => Err("not a value".to_owned()),
    }
}

/// A collection whose end has not been reached.
enum Open {
    Sequence {
        place: Place,
        items: Vec<Node>,
    },
    Mapping {
        place: Place,
        entries: Vec<(Text, Node)>,
        keys: HashMap<String, Place>,
        key: ExpectedKey,
    },
}

/// What an open mapping expects next.
enum ExpectedKey {
    /// The next node is a key.
    Awaited,
    /// The next node is the value of this key.
    Read(Text),
    /// The next node belongs to an invalid key.
    Refused,
}

struct Tree<'a> {
    file: usize,
    text: &'a str,
    report: &'a mut Report,
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
}

impl Tree<'_> {
    /// Reports a problem that ends the parse.
    fn stop(&mut self, problem: Problem) -> ControlFlow<()> {
        self.report.push(problem);
        ControlFlow::Break(())
    }

    /// Handles one event.
    fn take(&mut self, event: Event<'_>, span: Span) -> ControlFlow<()> {
        let place = self.place(span);
        if event.anchor_id().is_some() {
            self.report.push(
                Problem::error(place, "anchors are not part of the language")
                    .help("repeat the value where it is used"),
            );
        }
        let tagged = event.tag().is_some();
        if tagged {
            let tag = span.tag_span().map_or(place, |span| self.place(span));
            self.report.push(
                Problem::error(tag, "tags are not part of the language").help("remove the tag"),
            );
        }
        match event {
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.report.push(
                    Problem::error(place, "aliases of anchors are not part of the language")
                        .help("repeat the value; quote it if it is text that starts with `*`"),
                );
                self.node(Node { place, kind: Kind::Refused })
            }
            Event::Scalar(value, style, ..) => {
                let text = self.scalar_text(value.into_owned(), style, place, span);
                let kind = if tagged { Kind::Refused } else { self.scalar_kind(text, style) };
                self.node(Node { place, kind })
            }
            Event::SequenceStart(..) => self.start(Open::Sequence { place, items: Vec::new() }),
            Event::MappingStart(..) => self.start(Open::Mapping {
                place,
                entries: Vec::new(),
                keys: HashMap::new(),
                key: ExpectedKey::Awaited,
            }),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::Sequence { place, items }) => {
                    self.node(Node { place, kind: Kind::Sequence(items) })
                }
                Some(Open::Mapping { place, entries, .. }) => {
                    self.node(Node { place, kind: Kind::Mapping(entries) })
                }
                None => ControlFlow::Continue(()),
            },
            Event::DocumentStart(..) if self.root.is_some() => {
                let problem = Problem::error(place, "a second document in one file");
                self.stop(
                    problem.help("put it into a file of its own, and list that under `include`"),
                )
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn start(&mut self, collection: Open) -> ControlFlow<()> {
        let place = match &collection {
            Open::Sequence { place, .. } | Open::Mapping { place, .. } => *place,
        };
        if self.open.len() >= MAX_DEPTH {
            let problem = Problem::error(place, "the YAML is nested too deeply");
            return self.stop(problem.expected(format!("at most {MAX_DEPTH} levels")));
        }
        self.open.push(collection);
        ControlFlow::Continue(())
    }

    /// Adds a complete node to its parent.
    fn node(&mut self, node: Node) -> ControlFlow<()> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            let problem = Problem::error(node.place, "the file has too many values");
            return self.stop(
                problem
                    .expected(format!("at most {MAX_NODES}"))
                    .help("split it, and list the parts under `include`"),
            );
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::Sequence { items, .. }) => items.push(node),
            Some(Open::Mapping { entries, keys, key, .. }) => {
                match std::mem::replace(key, ExpectedKey::Awaited) {
                    ExpectedKey::Awaited => *key = mapping_key(node, keys, self.report),
                    ExpectedKey::Read(name) => entries.push((name, node)),
                    ExpectedKey::Refused => {}
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn scalar_text(&mut self, value: String, style: ScalarStyle, place: Place, span: Span) -> Text {
        let source = span.slice(self.text).unwrap_or_default();
        let inset = match style {
            ScalarStyle::Plain if source == value => Some(0),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted
                if source.get(1..source.len().saturating_sub(1)) == Some(value.as_str()) =>
            {
                Some(1)
            }
            _ => None,
        };
        if style == ScalarStyle::DoubleQuoted {
            hidden::in_escapes(&value, source, place, self.report);
        }
        Text { value, place, inset }
    }

    /// Resolves a scalar by the YAML 1.2 core schema. All scalars but plain ones are strings.
    fn scalar_kind(&mut self, text: Text, style: ScalarStyle) -> Kind {
        if style != ScalarStyle::Plain {
            return Kind::Text(text);
        }
        match text.value.as_str() {
            "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
            "true" | "True" | "TRUE" => Kind::Boolean(true),
            "false" | "False" | "FALSE" => Kind::Boolean(false),
            plain => match plain_scalar(plain) {
                Plain::Number(number) => Kind::Number(number),
                Plain::NotJson => {
                    self.report.push(
                        Problem::error(text.place, format!("`{plain}` is not a JSON number"))
                            .help("quote it if it is text"),
                    );
                    Kind::Refused
                }
                Plain::Text => Kind::Text(text),
            },
        }
    }

    /// What is not YAML, and how to mend it if text is not quoted.
    fn invalid(&self, error: &ScanError) -> Problem {
        let place = self.place_at(error.marker());
        let message = format!("not valid YAML: {}", error.info());
        let line = self.text.lines().nth(place.line - 1).unwrap_or_default();
        if let Some(tab) = self.indenting_tab(place.line, error.kind()) {
            return Problem::error(tab, "not valid YAML: a tab indents the line")
                .help("indent it with spaces");
        }
        match unquoted::find_at(line, place.column - 1) {
            Some((text, help)) => {
                let place = Place { column: text.start + 1, length: text.len(), ..place };
                Problem::error(place, message).help(help)
            }
            None => Problem::error(place, message),
        }
    }

    /// The first tab that indents the line of an error, or the next one if the parser looked at it.
    fn indenting_tab(&self, line: usize, kind: &ErrorKind) -> Option<Place> {
        let is_of_next = matches!(
            kind,
            ErrorKind::TabInPlainScalar
                | ErrorKind::TabAtBlockScalarStart
                | ErrorKind::CommentInterceptedScalar
        );
        let lines = self.text.lines().enumerate();
        let lines = lines.skip(line - 1).take(if is_of_next { 2 } else { 1 });
        let mut tabs = lines.filter_map(|(index, text)| {
            let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
            let at = text[..indent].find('\t')?;
            Some(Place { file: self.file, line: index + 1, column: at + 1, length: 1 })
        });
        tabs.next()
    }

    fn place_at(&self, mark: &Marker) -> Place {
        Place { file: self.file, line: mark.line().max(1), column: mark.col() + 1, length: 1 }
    }

    /// The first line of a span. Spans of collections and blocks are too long to be shown.
    fn place(&self, span: Span) -> Place {
        let length = match span.slice(self.text) {
            Some(text) => text.lines().next().unwrap_or_default().trim_end().chars().count(),
            None => 1,
        };
        Place { length: length.max(1), ..self.place_at(&span.start) }
    }
}

fn mapping_key(node: Node, keys: &mut HashMap<String, Place>, report: &mut Report) -> ExpectedKey {
    let place = node.place;
    let text = match node.kind {
        Kind::Text(text) => text,
        Kind::Refused => return ExpectedKey::Refused,
        _ => {
            report.push(
                Problem::error(place, format!("a key must be a string, found {}", node.found()))
                    .help("quote it"),
            );
            return ExpectedKey::Refused;
        }
    };
    if text.value == "<<" {
        report.push(
            Problem::error(place, "merge keys are not part of the language")
                .help("repeat the entries"),
        );
        return ExpectedKey::Refused;
    }
    if let Some(first) = keys.get(&text.value) {
        report.push(
            Problem::error(place, format!("duplicate key `{}`", text.value))
                .note("first given at", *first),
        );
        return ExpectedKey::Refused;
    }
    keys.insert(text.value.clone(), place);
    ExpectedKey::Read(text)
}
