//! The front page: what the server is, and the `entrance_cards` into its site.

use toolwrit_manifest::Model;

use crate::document::{Block, Card, heading, paragraphs};
use crate::guide;
use crate::number::pluralize;
use crate::page::{Book, Page, Part};
use crate::reference;

/// The server's name for people.
pub(crate) fn title(model: &Model) -> &str {
    model.server.title.as_deref().unwrap_or(&model.server.name)
}

pub(crate) fn page(model: &Model, parts: &[Part]) -> Page {
    let mut blocks = Vec::new();
    let words = model.server.summary.as_ref().or(model.server.instructions.as_ref());
    blocks.extend(words.into_iter().flat_map(|words| paragraphs(words)));
    blocks.extend(
        guide::installing(model)
            .map(|commands| Block::Code { language: "sh", text: commands.to_owned() }),
    );
    blocks.push(Block::Cards(entrance_cards(model, parts)));
    blocks.extend(session_blocks(model));
    blocks.push(heading("What it can do", "operations"));
    blocks.push(Block::Cards(reference::category_cards(model)));
    let summary = format!(
        "{} offers {} to MCP clients.",
        title(model),
        pluralize(model.tools().count(), "operation")
    );
    Page::new("index", title(model), &summary, blocks)
}

/// A way in for each kind of reader.
fn entrance_cards(model: &Model, parts: &[Part]) -> Vec<Card> {
    let card = |to: Option<String>, book: Book, words: String| {
        Some(Card { to: to?, title: book.title().to_owned(), words })
    };
    let reference = parts.iter().filter(|part| part.book == Book::Reference);
    let reference = reference.flat_map(|part| &part.pages).next().map(|page| page.path.clone());
    let count = pluralize(model.tools().count(), "operation");
    [
        card(
            guide::first_page_path(Book::Use),
            Book::Use,
            "Install the server, connect a client, and choose what it may do.".to_owned(),
        ),
        card(
            guide::first_page_path(Book::Build),
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

fn session_blocks(model: &Model) -> Vec<Block> {
    let Some(session) = guide::example_session(model) else { return Vec::new() };
    vec![
        heading("See it", "session"),
        Block::Code { language: "console", text: session.to_owned() },
    ]
}
