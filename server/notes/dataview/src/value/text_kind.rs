//! Texts that stand for something else than text.

/// What a text stands for. Every function of texts applies to all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// A tag, with or without `#`.
    Tag,
    /// The name of an icon.
    Icon,
    /// The path or address of an image.
    Image,
    Html,
}

impl TextKind {
    /// The name of the kind, as `isType` of Bases takes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::Icon => "icon",
            Self::Image => "image",
            Self::Html => "html",
        }
    }
}
