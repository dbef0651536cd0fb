//! A page that stands alone, for an address at which a reader finds none of the site. It may be shown at any address, so it
//! loads no file.

use maud::{DOCTYPE, PreEscaped, html};

/// The file that hosts of static sites show for an address without a file.
pub(crate) const FILE: &str = "404.html";
const STYLE: &str = include_str!("theme/toolwrit.css");
/// Leads to the folder of the site, which may be below that of the host.
const FIND_FOLDER: &str = "document.querySelector('main a').href = \
    location.pathname.replace(/(guide|operations|reference|theme)\\/.*|[^/]*$/, '');";

/// A page with some words and a link.
pub struct Notice<'a> {
    pub title: &'a str,
    /// What happened, and what the reader can do.
    pub words: &'a str,
    /// The address and the text of its link, if it has one.
    pub link: Option<(&'a str, &'a str)>,
}

impl Notice<'_> {
    /// The page as HTML.
    pub fn draw(&self) -> String {
        self.draw_with_script(None)
    }

    fn draw_with_script(&self, script: Option<&str>) -> String {
        let document = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) }
                    link rel="icon" href="data:,";
                    style { (PreEscaped(toolwrit_browser::COLOURS)) (PreEscaped(STYLE)) }
                }
                body {
                    div class="columns front" {
                        main {
                            h1 { (self.title) }
                            p { (self.words) }
                            @if let Some((address, text)) = self.link { p { a href=(address) { (text) } } }
                        }
                    }
                    @if let Some(script) = script { script { (PreEscaped(script)) } }
                }
            }
        };
        document.into_string()
    }
}

/// The page of a built site for an address without a file.
pub(crate) fn not_found_page() -> String {
    let notice = Notice {
        title: "Not found",
        words: "This site has no page at this address.",
        link: Some(("/", "To the front page")),
    };
    notice.draw_with_script(Some(FIND_FOLDER))
}
