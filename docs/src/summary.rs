//! The navigation: mdBook's `SUMMARY.md`.

use crate::markdown::text;
use crate::page::{Chapter, Part};

/// The front page, then each part with its pages.
pub(crate) fn summary(front: &Chapter, parts: &[Part]) -> String {
    let mut summary = format!("# Summary\n\n{}\n", link(front));
    for part in parts.iter().filter(|part| !part.pages.is_empty()) {
        summary.push_str(&format!("\n# {}\n\n", text(part.title)));
        for page in &part.pages {
            summary.push_str(&format!("- {}\n", link(page)));
        }
    }
    summary
}

fn link(page: &Chapter) -> String {
    format!("[{}]({})", text(&page.title), page.path)
}
