//! Pages and their excerpts.

use crate::error::WebError;

/// What becomes of HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// The article of the page as Markdown; the whole page if it has no article.
    Markdown,
    /// The HTML as the server sent it.
    Source,
}

/// A fetched page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its URL, after redirects.
    pub url: String,
    /// The title of an HTML page.
    pub title: Option<String>,
    /// The media type, such as `text/html`.
    pub media_type: String,
    /// The text, decoded and converted.
    pub text: String,
}

/// A fetched file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Its URL, after redirects.
    pub url: String,
    /// The media type that the server says; empty if it says none.
    pub media_type: String,
    /// Its bytes, decompressed.
    pub bytes: Vec<u8>,
}

/// A part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excerpt<'a> {
    /// The text of the part.
    pub text: &'a str,
    /// Where the next part starts, in characters; `None` at the end.
    pub next: Option<usize>,
    /// The length of the page, in characters.
    pub length: usize,
}

impl Page {
    /// At most `length` characters from the character `start`, counted from 0.
    ///
    /// # Errors
    /// [`WebError::BeyondEnd`] if the page ends before `start`.
    pub fn excerpt(&self, start: usize, length: usize) -> Result<Excerpt<'_>, WebError> {
        let total = self.text.chars().count();
        if start > 0 && start >= total {
            return Err(WebError::BeyondEnd { length: total });
        }
        let end = start.saturating_add(length);
        let offset = |text: &str, characters| {
            text.char_indices().nth(characters).map_or(text.len(), |(offset, _)| offset)
        };
        let rest = &self.text[offset(&self.text, start)..];
        let text = &rest[..offset(rest, length)];
        Ok(Excerpt { text, next: (end < total).then_some(end), length: total })
    }
}

#[cfg(test)]
mod tests {
    use super::Page;
    use crate::WebError;

    #[test]
    fn excerpts_follow_each_other_without_gaps() {
        let text = "añ😀 text with é and 日本語";
        let page = Page {
            url: String::new(),
            title: None,
            media_type: String::new(),
            text: text.to_owned(),
        };
        for size in 1..30 {
            let (mut read, mut next) = (String::new(), Some(0));
            while let Some(start) = next {
                let part = page.excerpt(start, size).unwrap();
                assert_eq!(part.length, text.chars().count());
                read += part.text;
                next = part.next;
            }
            assert_eq!(read, text, "{size}");
        }
        assert_eq!(page.excerpt(99, 1), Err(WebError::BeyondEnd { length: text.chars().count() }));
        let empty = Page { text: String::new(), ..page };
        assert_eq!(empty.excerpt(0, 5).unwrap().text, "");
    }
}
