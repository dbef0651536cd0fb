//! The structure of random and of very large notes.

use proptest::prelude::*;
use toolwrit_vault::document::{Document, Excess};

use crate::document::{tags, targets};

/// Text with much syntax in it.
fn markdown() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "[[", "]]", "|", "\\|", "![", "](", ")", "[", "]", "#", "# ", " ", "\n", "\r\n", "\n\n",
        "- ", "[ ] ", "> ", "    ", "`", "```", "~~~\n", "%%", "$", "$$", "<!--", "-->", "<div>",
        "^id", "::", "a", "é", "🌲", "\\", "---\n", "|---|\n", "(", "<", ">", "[^1]:", "1. ",
        "===\n", "\t", "\"", "'", ": ", "&#35;", "%20", "^", "\u{85}", "\u{A0}", "\u{3000}",
        "\u{C}",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_parses_with_valid_spans(text in markdown()) {
        let document = Document::parse(&text).unwrap();
        for link in &document.links {
            prop_assert!(link.span.start <= link.target_span.start);
            prop_assert!(link.target_span.end <= link.span.end);
            let written = link.span.slice(&text);
            prop_assert!(written.starts_with(['[', '!']), "{written}");
            link.target_span.slice(&text);
        }
        for pair in document.headings.windows(2) {
            prop_assert!(pair[0].span.end <= pair[1].span.start);
        }
        for heading in &document.headings {
            prop_assert_eq!(heading.span.end, heading.content.start);
            prop_assert!(heading.content.end <= text.len());
            prop_assert!(text[..heading.span.start].is_empty() || text[..heading.span.start].ends_with('\n'));
        }
        for tag in &document.tags {
            prop_assert_eq!(tag.span.slice(&text), format!("#{}", tag.name));
        }
        for block in &document.blocks {
            prop_assert_eq!(block.marker.slice(&text), format!("^{}", block.id));
            prop_assert!(block.content.end <= block.marker.start);
        }
        for field in &document.fields {
            prop_assert!(field.span.slice(&text).contains("::"));
        }
    }

    #[test]
    fn line_endings_do_not_change_the_structure(text in markdown()) {
        let lf = text.replace("\r\n", "\n");
        let crlf = lf.replace('\n', "\r\n");
        prop_assert_eq!(targets(&lf), targets(&crlf));
        prop_assert_eq!(tags(&lf), tags(&crlf));
        let ids = |text: &str| Document::parse(text).unwrap().blocks.iter().map(|block| block.id.to_owned()).collect::<Vec<_>>();
        prop_assert_eq!(ids(&lf), ids(&crlf));
    }
}

/// Each would take hours if the time were quadratic in the length.
#[test]
fn repeated_unclosed_marks_are_text() {
    let count = 50_000;
    for piece in
        ["[[", "[[[]", "(a::", "[a::", "%%`", "$$ ", "![", "[a](", "<!-- ", "> ", "#", "`[[`"]
    {
        let text = piece.repeat(count);
        // Only nested quotes are limited here.
        let parsed = Document::parse(&text);
        assert!(parsed.map_or(piece == "> ", |document| document.links.is_empty()), "{piece}");
        let lines = format!("a:: b\n{}", piece.repeat(20) + "\n").repeat(count / 40);
        assert_eq!(targets(&lines), Vec::<String>::new(), "{piece}");
    }
    let hidden = format!("[[a {}", "`]]` ".repeat(count));
    assert_eq!(targets(&hidden), Vec::<String>::new());
    assert_eq!(targets(&format!("{hidden}]]")).len(), 1);
}

#[test]
fn the_structure_of_a_note_is_limited() {
    let parse = |text: &str| Document::parse(text).map(drop);
    assert_eq!(parse(&"a\n".repeat(512 * 1024)), Ok(()));
    assert_eq!(parse(&"a\n".repeat(512 * 1024 + 1)), Err(Excess::Length));
    for part in ["# a\n", "[[a]]\n", "#a\n", "a ^b\n\n", "- [ ] a\n", "[a:: b]\n"] {
        assert_eq!(parse(&part.repeat(50_000)), Ok(()), "{part}");
        assert_eq!(parse(&part.repeat(50_001)), Err(Excess::Parts), "{part}");
    }
    for mark in ["> ", "- ", "* ", "1. ", "[^a]: ", ">"] {
        assert_eq!(parse(&format!("{}a\n", mark.repeat(60))), Ok(()), "{mark}");
        assert_eq!(parse(&format!("b\n{}a\n", mark.repeat(129))), Err(Excess::Depth), "{mark}");
    }
    // Text that is no mark opens no container.
    for text in ["-", "    ", "1", "[^"] {
        assert_eq!(parse(&format!("{}a\n", text.repeat(1_000))), Ok(()), "{text}");
    }
}
