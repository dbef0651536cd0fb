//! What kind of content a server sent.

use crate::charset;
use crate::error::WebError;

/// The type of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MediaType {
    /// In lower case, such as `text/html`.
    pub(crate) essence: String,
    charset: Option<String>,
}

/// The decoded text of a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Html(String),
    Text(String),
}

/// Types of `application/` that are text, besides those that end with `+json`, `+xml` or `+yaml`.
const TEXT: [&str; 10] =
    ["json", "ld+json", "xml", "yaml", "x-yaml", "toml", "javascript", "ecmascript", "sql", "x-sh"];

impl MediaType {
    /// Parses the header `Content-Type`. Without one the content decides.
    pub(crate) fn parse(header: Option<&str>) -> Self {
        let mut parts = header.unwrap_or_default().split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (key, value) = part.split_once('=')?;
            let is_charset = key.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| value.trim().trim_matches(['"', '\'']).to_owned())
        });
        Self { essence, charset }
    }

    fn is_html(&self) -> bool {
        matches!(self.essence.as_str(), "text/html" | "application/xhtml+xml")
    }

    /// Whether the content decides, as the type says nothing.
    fn is_vague(&self) -> bool {
        !self.essence.contains('/')
            || matches!(self.essence.as_str(), "application/octet-stream" | "application/x-unknown")
    }

    fn is_text(&self) -> bool {
        match self.essence.split_once('/') {
            Some(("text", _)) => true,
            Some(("application", name)) => {
                TEXT.contains(&name)
                    || ["+json", "+xml", "+yaml"].iter().any(|suffix| name.ends_with(suffix))
            }
            _ => false,
        }
    }

    /// Refuses what cannot be text, before it is read.
    ///
    /// # Errors
    /// [`WebError::NotText`].
    pub(crate) fn check(&self) -> Result<(), WebError> {
        if self.is_html() || self.is_text() || self.is_vague() {
            Ok(())
        } else {
            Err(self.not_text_error())
        }
    }

    fn not_text_error(&self) -> WebError {
        // A type is a few words; anything else is not repeated.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/+-._".contains(c);
        let is_type = self.essence.len() < 100 && self.essence.chars().all(is_plain);
        let media_type = match self.essence.as_str() {
            shown if is_type && !shown.is_empty() => shown,
            _ => "unknown",
        };
        WebError::NotText { media_type: media_type.to_owned() }
    }

    /// Decodes a body of this type.
    ///
    /// # Errors
    /// [`WebError::NotText`] if it is binary, whatever the type says.
    pub(crate) fn decode(&mut self, bytes: &[u8]) -> Result<Content, WebError> {
        let text = charset::decode(bytes, self.charset.as_deref());
        if text.contains('\0') {
            return Err(self.not_text_error());
        }
        if self.is_vague() {
            let is_html = looks_like_html(&text);
            (if is_html { "text/html" } else { "text/plain" }).clone_into(&mut self.essence);
        }
        Ok(if self.is_html() { Content::Html(text) } else { Content::Text(text) })
    }
}

fn looks_like_html(text: &str) -> bool {
    let start = text.trim_start();
    ["<!doctype html", "<html", "<head", "<body"]
        .iter()
        .any(|tag| start.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))
}

#[cfg(test)]
mod tests {
    use super::{Content, MediaType};

    #[test]
    fn types_decide_before_the_content_is_read() {
        for text in [
            "text/plain",
            "Text/HTML; charset=\"utf-8\"",
            "application/json",
            "application/problem+json",
            "application/octet-stream",
            "",
        ] {
            assert!(MediaType::parse(Some(text)).check().is_ok(), "{text}");
        }
        for binary in ["image/png", "application/pdf", "application/zip", "video/mp4", "font/woff2"]
        {
            assert!(MediaType::parse(Some(binary)).check().is_err(), "{binary}");
        }
    }

    #[test]
    fn content_decides_where_the_type_says_nothing() {
        let decode = |header, bytes: &[u8]| MediaType::parse(header).decode(bytes).ok();
        let page = "<!DOCTYPE html><p>x".to_owned();
        assert_eq!(decode(None, page.as_bytes()), Some(Content::Html(page.clone())));
        assert_eq!(decode(Some("text/plain"), page.as_bytes()), Some(Content::Text(page)));
        assert_eq!(
            decode(Some("application/octet-stream"), b"hi"),
            Some(Content::Text("hi".into()))
        );
        assert_eq!(decode(Some("text/html"), b"\x89PNG\r\n\0\0"), None);
    }
}
