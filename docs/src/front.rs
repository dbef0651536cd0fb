//! The front page: what the server is, and the ways into its site.

use toolwrit_manifest::Model;

use crate::document::{Block, Card, heading, paragraphs};
use crate::guide;
use crate::number::counted;
use crate::page::{Book, Page, Part};
use crate::reference;

/// The server's name for people.
pub(crate) fn title(model: &Model) -> &str {
    model.server.title.as_deref().unwrap_or(&model.server.name)
}

pub(crate) fn page(model: &Model, parts: &[Part]) -> Page {
    let mut blocks = Vec::new();
    blocks.extend(model.server.instructions.iter().flat_map(|words| paragraphs(words)));
    blocks.push(Block::Cards(ways(model, parts)));
    blocks.extend(demo(model));
    blocks.push(heading("What it can do", "operations"));
    blocks.push(Block::Cards(reference::overview(model)));
    let summary = format!(
        "{} offers {} to MCP clients.",
        title(model),
        counted(model.tools().count(), "operation")
    );
    Page::new("index", title(model), &summary, blocks)
}

/// A way in for each kind of reader.
fn ways(model: &Model, parts: &[Part]) -> Vec<Card> {
    let card = |to: Option<String>, book: Book, words: String| {
        Some(Card { to: to?, title: book.title().to_owned(), words })
    };
    let reference = parts.iter().filter(|part| part.book == Book::Reference);
    let reference = reference.flat_map(|part| &part.pages).next().map(|page| page.path.clone());
    let count = counted(model.tools().count(), "operation");
    [
        card(
            guide::first(Book::Use),
            Book::Use,
            "Install the server, connect a client, and choose what it may do.".to_owned(),
        ),
        card(
            guide::first(Book::Build),
            Book::Build,
            "Declare operations in a manifest, and write a Rust function for each.".to_owned(),
        ),
        card(
            reference,
            Book::Reference,
            format!("Look up {count}: parameters, results, errors, and who may call them."),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn demo(model: &Model) -> Vec<Block> {
    let Some(session) = guide::session(model) else { return Vec::new() };
    vec![
        heading("See it", "session"),
        Block::Code { language: "console", text: session.to_owned() },
    ]
}
