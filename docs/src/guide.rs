//! The guide: hand-written pages, embedded so that the binary can build the site without other
//! files.

use include_dir::{Dir, include_dir};

use crate::page::{Chapter, Part};

static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/guide");

/// File and title of each page, in reading order. Pages without a file are left out.
const ORDER: &[(&str, &str)] = &[
    ("introduction.md", "Introduction"),
    ("quick-start.md", "Quick start"),
    ("manifest.md", "The manifest language"),
    ("handlers.md", "Writing handlers"),
    ("bindings.md", "Operations of an HTTP API"),
    ("without-a-compiler.md", "Without a compiler"),
    ("wrap-an-api.md", "Wrap an API in an hour"),
    ("policy.md", "Policy"),
    ("surfaces.md", "Surfaces"),
    ("resources-and-prompts.md", "Resources and prompts"),
    ("asking.md", "Asking back"),
    ("http.md", "HTTP"),
    ("obsidian.md", "With Obsidian"),
    ("web.md", "Pages of the web"),
    ("project.md", "Projects"),
    ("jira.md", "Jira"),
    ("wordpress.md", "WordPress"),
    ("errors.md", "Errors"),
    ("migration.md", "Migration"),
    ("roadmap.md", "Roadmap"),
    ("audit.md", "Audit and idempotency keys"),
    ("observing.md", "Watching a server"),
    ("finding.md", "Finding operations"),
    ("fetching.md", "Fetching tools"),
    ("command-line.md", "The command line"),
    ("configuration.md", "Configuration"),
    ("listing-cost.md", "What it costs to list"),
    ("overhead.md", "What it costs to run"),
    ("compile-cost.md", "What it costs to compile"),
];

/// All pages, in reading order.
pub(crate) fn part() -> Part {
    let pages = ORDER.iter().filter_map(|(file, title)| {
        let body = PAGES.get_file(file)?.contents_utf8()?;
        Some(Chapter::new(&format!("guide/{file}"), title, body.to_owned()))
    });
    Part { title: "Guide", pages: pages.collect() }
}
