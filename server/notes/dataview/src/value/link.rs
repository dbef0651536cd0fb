//! Links to files of the vault.

use std::fmt;
use std::sync::Arc;

/// A link to a file or to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The path of the file; the text of the link if it names no file.
    pub path: Arc<str>,
    /// The text shown instead of the path.
    pub display: Option<Arc<str>>,
    /// Whether the link shows the content of its target (`![[..]]`).
    pub embed: bool,
    /// What it names in the file.
    pub target: LinkTarget,
}

/// What a link names in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkTarget {
    /// The block with an id.
    Block(Arc<str>),
    /// The whole file.
    File,
    /// The section below a heading.
    Header(Arc<str>),
}

impl Link {
    /// A link to a whole file.
    pub(crate) fn file(path: impl Into<Arc<str>>) -> Self {
        Self { path: path.into(), display: None, embed: false, target: LinkTarget::File }
    }

    /// A link to the section below a heading.
    pub(crate) fn header(path: impl Into<Arc<str>>, heading: &str) -> Self {
        let target = LinkTarget::Header(normalized_heading(heading).into());
        Self { target, ..Self::file(path) }
    }

    /// A link by its written target, which may have a subpath.
    pub(crate) fn from_target(target: &str, display: Option<&str>) -> Self {
        let (path, target) = if let Some((path, block)) = target.split_once("#^") {
            (path, LinkTarget::Block(block.split("#^").next().unwrap_or_default().into()))
        } else if let Some((path, header)) = target.split_once('#') {
            let header = header.split('#').next().unwrap_or_default();
            (path, LinkTarget::Header(normalized_heading(header).into()))
        } else {
            (target, LinkTarget::File)
        };
        Self { path: path.into(), display: display.map(Arc::from), embed: false, target }
    }

    /// The text between the brackets of a wikilink.
    pub(crate) fn inner(inner: &str) -> Self {
        let mut pipes = inner.match_indices('|').map(|(at, _)| at);
        let pipe = pipes.find(|&at| !inner[..at].ends_with('\\'));
        let (target, display) = match pipe {
            Some(at) => (&inner[..at], Some(&inner[at + 1..])),
            None => (inner, None),
        };
        Self::from_target(&target.replace("\\|", "|"), display)
    }

    /// The name of what it names in the file.
    pub(crate) fn subpath(&self) -> Option<&Arc<str>> {
        match &self.target {
            LinkTarget::File => None,
            LinkTarget::Header(name) | LinkTarget::Block(name) => Some(name),
        }
    }

    /// The kind of its target, as `meta(link).type` names it.
    pub(crate) fn kind(&self) -> &'static str {
        match self.target {
            LinkTarget::File => "file",
            LinkTarget::Header(_) => "header",
            LinkTarget::Block(_) => "block",
        }
    }

    pub(crate) fn with_path(&self, path: impl Into<Arc<str>>) -> Self {
        Self { path: path.into(), ..self.clone() }
    }

    pub(crate) fn with_display(&self, display: Arc<str>) -> Self {
        Self { display: Some(display), ..self.clone() }
    }

    pub(crate) fn with_embed(&self, embed: bool) -> Self {
        Self { embed, ..self.clone() }
    }
}

/// Writes the link as a wikilink.
impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let escaped = |text: &str| text.replace('|', "\\|");
        let embed = if self.embed { "!" } else { "" };
        write!(f, "{embed}[[{}", escaped(&self.path))?;
        match &self.target {
            LinkTarget::File => {}
            LinkTarget::Header(header) => write!(f, "#{}", escaped(header))?,
            LinkTarget::Block(block) => write!(f, "#^{}", escaped(block))?,
        }
        match (&self.display, self.subpath()) {
            (Some(display), _) if !display.is_empty() => write!(f, "|{display}]]"),
            (_, Some(subpath)) => write!(f, "|{} > {subpath}]]", title(&self.path)),
            (_, None) => write!(f, "|{}]]", title(&self.path)),
        }
    }
}

/// The name of a file without folders and without `.md`.
pub(crate) fn title(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.strip_suffix(".md").unwrap_or(name)
}

/// A heading as links name it: letters, digits, `_`, `-` and emoji, with single spaces between.
fn normalized_heading(heading: &str) -> String {
    let kept = |c: char| {
        if is_heading_character(c) { c } else { ' ' }
    };
    let text: String = heading.chars().map(kept).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_heading_character(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '_' | '-')
        || crate::words::is_letter(c)
        || crate::words::is_emoji(c)
}
