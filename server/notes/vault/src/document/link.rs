//! Links and how their targets are written.

use std::borrow::Cow;
use std::fmt::Write as _;

use toolwrit_frontmatter::Span;

/// A link from a note to something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link<'a> {
    /// Its notation.
    pub kind: LinkKind,
    /// The whole link, including the brackets and the `!` of an embed.
    pub span: Span,
    /// The target as written, without subpath, alias and angle brackets; empty for a link into the
    /// same note. To redirect the link, put [`Notation::encode`] of the new target here.
    pub target_span: Span,
    /// The decoded target: a name or path with or without extension, or a URL. Empty for the note
    /// itself.
    pub target: Cow<'a, str>,
    /// The decoded text after the first `#`: a heading, a path of headings, or `^` and a block id.
    pub subpath: Option<Cow<'a, str>>,
    /// The text shown instead of the target: the alias of a wikilink, the text of a Markdown link,
    /// the label of a definition.
    pub display: Option<&'a str>,
    /// How the target is encoded.
    pub notation: Notation,
}

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// `[[target#subpath|alias]]`
    Wikilink,
    /// `![[target#subpath|size or alias]]`
    Embed,
    /// `[text](target#subpath)`
    Markdown,
    /// `![text](target)`
    Image,
    /// `[label]: target`, for reference links. The references themselves are not listed.
    Definition,
    /// A wikilink in a value of the frontmatter.
    Property,
}

/// How a target is encoded where it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Notation {
    /// Unchanged, in a wikilink.
    Plain,
    /// As a bare Markdown destination: characters that would end it are percent-encoded.
    Percent,
    /// As a Markdown destination between `<` and `>`.
    Angle,
    /// In a single-quoted YAML string.
    SingleQuoted,
    /// In a double-quoted YAML string.
    DoubleQuoted,
}

impl Link<'_> {
    /// Whether it leads out of the vault, as a Markdown link to a URL does. A wikilink never does;
    /// its target names a note, even if it looks like a URL.
    pub fn is_external(&self) -> bool {
        let markdown =
            matches!(self.kind, LinkKind::Markdown | LinkKind::Image | LinkKind::Definition);
        markdown && has_scheme(&self.target)
    }
}

/// Whether a URL starts with a scheme (RFC 3986, section 3.1) of two characters or more, or with
/// `//`. One letter is a Windows drive.
pub(super) fn has_scheme(target: &str) -> bool {
    if target.starts_with("//") {
        return true;
    }
    let Some((scheme, _)) = target.split_once(':') else { return false };
    scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

impl Notation {
    /// Encodes a target in this notation.
    pub fn encode(self, target: &str) -> Cow<'_, str> {
        match self {
            Self::Percent => percent_encode(target, |c| " ()<>\\#%".contains(c)),
            Self::Angle => percent_encode(target, |c| "<>\\#%".contains(c)),
            Self::SingleQuoted => replace(target, "'", "''"),
            Self::DoubleQuoted if target.contains(['"', '\\']) => {
                Cow::Owned(target.replace('\\', r"\\").replace('"', r#"\""#))
            }
            Self::Plain | Self::DoubleQuoted => Cow::Borrowed(target),
        }
    }

    /// Decodes a target in this notation.
    pub(super) fn decode(self, written: &str) -> Cow<'_, str> {
        match self {
            Self::Percent | Self::Angle => percent_decode(written),
            Self::SingleQuoted => replace(written, "''", "'"),
            Self::DoubleQuoted if written.contains('\\') => {
                Cow::Owned(written.replace(r#"\""#, "\"").replace(r"\\", r"\"))
            }
            Self::Plain | Self::DoubleQuoted => Cow::Borrowed(written),
        }
    }
}

fn replace<'a>(text: &'a str, from: &str, to: &str) -> Cow<'a, str> {
    if text.contains(from) { Cow::Owned(text.replace(from, to)) } else { Cow::Borrowed(text) }
}

/// Percent-encodes control characters and the ASCII characters for which `must` holds.
fn percent_encode(text: &str, must: impl Fn(char) -> bool) -> Cow<'_, str> {
    let special = |c: char| c.is_ascii_control() || must(c);
    if !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let mut encoded = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if special(c) {
            // Writing to a string never fails.
            let _ = write!(encoded, "%{:02X}", u32::from(c));
        } else {
            encoded.push(c);
        }
    }
    Cow::Owned(encoded)
}

/// Percent-decodes; text that does not decode to UTF-8 is taken as written.
fn percent_decode(text: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(text).decode_utf8().unwrap_or(Cow::Borrowed(text))
}
