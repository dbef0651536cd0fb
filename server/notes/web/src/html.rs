//! From HTML to Markdown.

use dom_query::Document;
use dom_smoothie::{Config, Readability, TextMode};
use url::Url;

use crate::error::WebError;
use crate::structure;

/// Elements that are not read.
const SKIPPED: [&str; 10] = [
    "script", "style", "meta", "head", "template", "noscript", "svg", "iframe", "object", "canvas",
];

/// A page as Markdown.
pub(crate) struct Converted {
    pub(crate) title: Option<String>,
    pub(crate) markdown: String,
}

/// Converts the article of a page, otherwise its whole body. Links become absolute. `is_over` tells whether
/// the time is over.
pub(crate) fn convert(
    html: &str,
    url: &Url,
    is_over: &dyn Fn() -> Result<(), WebError>,
) -> Result<Converted, WebError> {
    let parse = || {
        let document = structure::parse(html, is_over)?;
        make_absolute(&document, url);
        Ok(document)
    };
    let document = parse()?;
    let title = element_text(&document, "title");
    let config = Config { text_mode: TextMode::Markdown, ..Config::default() };
    let readability = Readability::with_document(document, Some(url.as_str()), Some(config));
    let mut readability = readability.map_err(|_| WebError::TooComplex)?;
    if !readability.is_probably_readable() {
        return Ok(convert_body(&readability.doc, title));
    }
    match readability.parse() {
        Ok(article) => {
            let title = Some(article.title).filter(|title| !title.is_empty()).or(title);
            Ok(Converted { title, markdown: article.text_content.trim().to_owned() })
        }
        // The search for an article has changed the document.
        Err(_) => Ok(convert_body(&parse()?, title)),
    }
}

fn convert_body(document: &Document, title: Option<String>) -> Converted {
    let body = document.body().unwrap_or_else(|| document.root());
    Converted { title, markdown: body.md(Some(&SKIPPED)).trim().to_owned() }
}

fn element_text(document: &Document, selector: &str) -> Option<String> {
    let text = document.select_single(selector).text();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(text).filter(|text| !text.is_empty())
}

/// Makes links and the sources of images absolute. Removes the images that are part of the page, and the
/// links to scripts.
fn make_absolute(document: &Document, url: &Url) {
    let base = document.base_uri().and_then(|base| url.join(&base).ok());
    let base = base.as_ref().unwrap_or(url);
    for (selector, attribute) in [("a[href]", "href"), ("img[src]", "src")] {
        for node in document.select(selector).nodes() {
            let target = node.attr(attribute).and_then(|target| base.join(&target).ok());
            match target {
                Some(target) if !matches!(target.scheme(), "data" | "javascript") => {
                    node.set_attr(attribute, target.as_str());
                }
                _ => node.remove_attr(attribute),
            }
        }
    }
}
