//! Parts of answers that notes and manifests share.

use std::ops::Range as Bytes;

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, Contents, Diagnostic, DiagnosticSeverity, Documentation,
    Hover, MarkupContent, MarkupKind, Range, TextEdit,
};

use crate::text::Lines;

/// The name under which the client shows diagnostics.
pub(crate) const SOURCE: &str = "toolwrit";

/// A choice that replaces what has been typed.
pub(crate) fn new_choice(
    label: &str,
    kind: CompletionItemKind,
    edit: (Range, String),
) -> CompletionItem {
    CompletionItem {
        label: label.to_owned(),
        kind: Some(kind),
        text_edit: Some(TextEdit { range: edit.0, new_text: edit.1 }.into()),
        ..CompletionItem::default()
    }
}

/// The edit that puts a value after a colon, with the blank that must stand there.
pub(crate) fn value_edit(
    lines: &Lines<'_>,
    text: &str,
    typed: &Bytes<usize>,
    value: &str,
) -> (Range, String) {
    let needs_blank = text.get(..typed.start).is_some_and(|before| before.ends_with([':', '-']));
    let blank = if needs_blank { " " } else { "" };
    (lines.range(typed), format!("{blank}{value}"))
}

/// The edit that writes a key. A colon that is there already stays.
pub(crate) fn key_edit(
    lines: &Lines<'_>,
    text: &str,
    typed: &Bytes<usize>,
    key: &str,
) -> (Range, String) {
    let has_colon =
        text.get(typed.end..).is_some_and(|after| after.trim_start_matches(' ').starts_with(':'));
    let after = if has_colon { "" } else { ": " };
    (lines.range(typed), format!("{key}{after}"))
}

pub(crate) fn markdown(text: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value: text }
}

pub(crate) fn documentation(text: String) -> Option<Documentation> {
    (!text.is_empty()).then(|| Documentation::MarkupContent(markdown(text)))
}

pub(crate) fn hover(text: String, range: Range) -> Hover {
    Hover { contents: Contents::MarkupContent(markdown(text)), range: Some(range) }
}

pub(crate) fn diagnostic(
    range: Range,
    severity: DiagnosticSeverity,
    message: String,
) -> Diagnostic {
    Diagnostic {
        range,
        severity: Some(severity),
        source: Some(SOURCE.to_owned()),
        message: message.into(),
        ..Diagnostic::default()
    }
}
