//! Writes blocks. Every line of a block begins with `>`.

use serde_json::Value;

use super::fence::write_fence;
use super::header::Header;
use super::payload::Payload;

/// A block with words: of a model, or a notice. The words are those that [`inert`](super::inert::Inert) has made.
#[must_use]
pub fn write_words(header: &Header, words: &str) -> String {
    let words = words.trim_matches('\n');
    // Renderers that know no callouts would show the header and the first words as one paragraph.
    let apart = if words.is_empty() { "" } else { "\n" };
    write_block(header, &format!("{apart}{words}"))
}

/// The block of a call. It has a result when the call has ended.
#[must_use]
pub fn write_call(header: &Header, arguments: &Value, result: Option<&Payload>) -> String {
    let (info, body) = Payload::from(arguments.clone()).to_fence();
    let mut fences = write_fence(info, &body);
    if let Some(result) = result {
        let (info, body) = result.to_fence();
        fences.push('\n');
        fences.push_str(&write_fence(info, &body));
    }
    write_block(header, &fences)
}

/// The block of a call that now has a result: the lines that stand there, whoever wrote them, with another header and the
/// result at the end.
pub(crate) fn write_finished(block: &str, header: &Header, result: Option<&Payload>) -> String {
    let mut lines = block.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    lines.next();
    let mut out = header.to_string();
    for line in lines {
        out.push('\n');
        out.push_str(line);
    }
    if let Some(result) = result {
        let (info, body) = result.to_fence();
        push_quoted(&mut out, &write_fence(info, &body));
    }
    out
}

fn write_block(header: &Header, body: &str) -> String {
    let mut out = header.to_string();
    if !body.is_empty() {
        push_quoted(&mut out, body);
    }
    out
}

fn push_quoted(out: &mut String, body: &str) {
    for line in body.split('\n') {
        out.push_str(if line.is_empty() { "\n>" } else { "\n> " });
        out.push_str(line);
    }
}
