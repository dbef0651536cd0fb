//! The Markdown files have the same facts as the pages beside them.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Options, Parser, TextMergeStream};

use crate::book::{Book, build_shipped};

type Words = BTreeSet<String>;

fn words_of(texts: impl Iterator<Item = impl AsRef<str>>) -> Words {
    let mut words = Words::new();
    for text in texts {
        let parts = text.as_ref().split(|c: char| !c.is_alphanumeric());
        words.extend(parts.filter(|word| !word.is_empty()).map(str::to_owned));
    }
    words
}

/// The words that a reader of the file sees.
fn of_twin(twin: &str) -> Words {
    let events = TextMergeStream::new(Parser::new_ext(twin, Options::ENABLE_TABLES));
    words_of(events.filter_map(|event| match event {
        Event::Text(words) | Event::Code(words) | Event::Html(words) | Event::InlineHtml(words) => {
            Some(words.to_string())
        }
        _ => None,
    }))
}

/// What leads through the site, and what a page says twice for those who cannot see it.
const AROUND: &str = "main footer, main .up, main .beside, main svg, main caption";

#[test]
fn a_page_and_its_file_have_the_same_words() {
    let (book, _) = build_shipped();
    let mut compared = 0;
    for path in book.paths() {
        let page = book.page(path);
        let around = words_of(Book::pieces(&page, AROUND).into_iter());
        let shown = words_of(Book::pieces(&page, "main").into_iter());
        let written = of_twin(book.file(&path.replace(".html", ".md")));
        let missing: Vec<_> = shown.difference(&written).filter(|w| !around.contains(*w)).collect();
        assert!(missing.is_empty(), "{path}: the file lacks {missing:?}");
        let added: Vec<_> = written.difference(&shown).collect();
        assert!(added.is_empty(), "{path}: the page lacks {added:?}");
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}
