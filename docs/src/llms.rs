//! `llms.txt`: the Markdown pages of the site, each with a sentence, for programs that read them.

use crate::page::{Book, Page, Part, book_pages};
use crate::twin::{EXTENSION, escaped};

/// The file's path in the site.
pub(crate) const FILE: &str = "llms.txt";

pub(crate) fn write(front: &Page, parts: &[Part]) -> String {
    let mut text = format!("# {}\n\n> {}\n", escaped(&front.title), escaped(&front.summary));
    for book in Book::ALL {
        text.push_str(&format!("\n## {}\n\n", book.title()));
        for page in book_pages(parts, book) {
            let (title, path) = (escaped(&page.title), &page.path);
            text.push_str(&format!("- [{title}]({path}.{EXTENSION})"));
            if !page.summary.is_empty() {
                text.push_str(&format!(": {}", escaped(&page.summary)));
            }
            text.push('\n');
        }
    }
    text
}
