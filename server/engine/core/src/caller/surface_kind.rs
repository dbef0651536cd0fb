//! The kinds of tool surfaces.

/// How operations are presented as tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceKind {
    /// Every operation is a tool.
    Flat,
    /// A few tools per category, and `discover`.
    Dispatch,
    /// Search, describe and execute.
    Meta,
}

impl SurfaceKind {
    /// Returns the name in configuration, metrics and the audit.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Dispatch => "dispatch",
            Self::Meta => "meta",
        }
    }
}
