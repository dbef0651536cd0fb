//! What becomes of a tag.

pub(super) enum Fate {
    Kept,
    Removed,
    Renamed(String),
}
