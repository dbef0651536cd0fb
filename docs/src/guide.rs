//! The guide: hand-written pages, embedded so that the binary can build the site without other files.

use include_dir::{Dir, include_dir};
use toolwrit_manifest::Model;

use crate::captured;
use crate::document::Block;
use crate::entry::Entry;
use crate::page::{Book, Page, Part};
use crate::prose;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/guide");

/// The folder of the pages in the site.
const FOLDER: &str = "guide";

/// The book and the file of each page, in reading order. Its first heading is its title.
const PAGES: &[(Book, &str)] = &[
    (Book::Use, "introduction.md"),
    (Book::Use, "quick-start.md"),
    (Book::Use, "packages.md"),
    (Book::Use, "obsidian.md"),
    (Book::Use, "web.md"),
    (Book::Use, "project.md"),
    (Book::Use, "jira.md"),
    (Book::Use, "wordpress.md"),
    (Book::Use, "policy.md"),
    (Book::Use, "surfaces.md"),
    (Book::Use, "http.md"),
    (Book::Use, "browser.md"),
    (Book::Use, "conversations.md"),
    (Book::Use, "editors.md"),
    (Book::Use, "upstreams.md"),
    (Book::Use, "logins.md"),
    (Book::Use, "configuration.md"),
    (Book::Use, "command-line.md"),
    (Book::Use, "finding.md"),
    (Book::Use, "lifecycle.md"),
    (Book::Use, "replicas.md"),
    (Book::Use, "deployment.md"),
    (Book::Use, "troubleshooting.md"),
    (Book::Use, "errors.md"),
    (Book::Use, "audit.md"),
    (Book::Use, "observing.md"),
    (Book::Use, "migration.md"),
    (Book::Use, "roadmap.md"),
    (Book::Build, "handlers.md"),
    (Book::Build, "manifest.md"),
    (Book::Build, "bindings.md"),
    (Book::Build, "mcp-servers.md"),
    (Book::Build, "without-a-compiler.md"),
    (Book::Build, "wrap-an-api.md"),
    (Book::Build, "resources-and-prompts.md"),
    (Book::Build, "asking.md"),
    (Book::Build, "fetching.md"),
    (Book::Build, "listing-cost.md"),
    (Book::Build, "agents.md"),
    (Book::Build, "overhead.md"),
    (Book::Build, "compile-cost.md"),
];

/// The page with a section for each error code of the engine.
const ERRORS: &str = "errors.md";
/// The page whose session the front page shows.
const SESSION: &str = "quick-start.md";

/// What a page for users says first in the site of another server.
const OTHER_SERVER: &str = "> The examples on this page are of the Markdown vault server that comes with Toolwrit. The server \
    of this site has a name and operations of its own.";

/// The pages of a book of the guide.
pub(crate) fn part(model: &Model, book: Book) -> Part {
    let of_book = PAGES.iter().filter(|(page_book, _)| *page_book == book);
    let note = (book == Book::Use && !captured::is_shipped_server(model)).then_some(OTHER_SERVER);
    let pages = of_book.filter_map(|(_, file)| page(file, note));
    Part { book, title: "Guide", pages: pages.collect() }
}

pub(crate) fn first_page_path(book: Book) -> Option<String> {
    let (_, file) = PAGES.iter().find(|(page_book, _)| *page_book == book)?;
    Some(page_path(file))
}

fn page_path(file: &str) -> String {
    format!("{FOLDER}/{}", file.trim_end_matches(".md"))
}

fn read_page(file: &str) -> Option<&'static str> {
    FILES.get_file(file)?.contents_utf8()
}

/// A page, with a note below its title.
fn page(file: &str, note: Option<&str>) -> Option<Page> {
    let text = read_page(file)?;
    let sections = prose::sections(text);
    let title = &sections.iter().find(|section| section.level == 1)?.title;
    let summary =
        sections.iter().find_map(|section| first_sentence(&section.words)).unwrap_or_default();
    let shown = match (note, text.split_once('\n')) {
        (Some(note), Some((title, rest))) => format!("{title}\n\n{note}\n{rest}"),
        _ => text.to_owned(),
    };
    let blocks = vec![Block::Prose { folder: FOLDER, text: shown }];
    let entries = sections.iter().filter(|section| section.level > 0);
    let entries = entries.map(|section| Entry::from_section(title, section)).collect();
    Some(Page::new(&page_path(file), title, &summary, blocks).with_entries(entries))
}

fn first_sentence(words: &str) -> Option<String> {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = words.find(". ").map_or(words.len(), |at| at + 1);
    let sentence = words.get(..end)?.trim().replace(" .", ".").replace(" ,", ",");
    (!sentence.is_empty()).then_some(sentence)
}

/// What the guide says about an error code of the engine, but for what names an operation that the model lacks.
pub(crate) fn error_section(model: &Model, code: &str) -> Option<Block> {
    let start = format!("\n## {code}\n");
    let (_, rest) = read_page(ERRORS)?.split_once(&start)?;
    let section = rest.split("\n## ").next()?.trim();
    let kept =
        section.split("\n\n").filter(|block| !captured::names_unknown_operation(model, block));
    let text = kept.collect::<Vec<_>>().join("\n\n");
    Some(Block::Prose { folder: FOLDER, text })
}

/// The commands that install the shipped server and connect a client. `None` for another server.
pub(crate) fn installing(model: &Model) -> Option<&'static str> {
    let (_, rest) = read_page(SESSION)?.split_once("```sh\n")?;
    rest.split("\n```").next().filter(|_| captured::is_shipped_server(model))
}

/// Commands and what they print, as a test ran them. `None` for a server that does not print that.
pub(crate) fn example_session(model: &Model) -> Option<&'static str> {
    let (_, rest) = read_page(SESSION)?.split_once("```console\n")?;
    let session = rest.split("\n```").next()?;
    (captured::is_shipped_server(model) && !captured::names_unknown_operation(model, session))
        .then_some(session)
}
