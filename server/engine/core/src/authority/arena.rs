//! The memory of rows that are created at run time.

use bumpalo::Bump;

use super::Pattern;

/// The memory of the rows of an authority. It is freed with the authority.
#[derive(Default)]
pub struct Arena {
    rows: Bump,
    /// Apart, because a compiled expression owns memory of its own.
    patterns: typed_arena::Arena<Pattern>,
}

impl Arena {
    /// Copies a text into the arena.
    pub fn text(&self, text: &str) -> &str {
        self.rows.alloc_str(text)
    }

    /// Copies rows, or other values that own no memory, into the arena.
    pub fn list<T: Copy>(&self, items: impl IntoIterator<Item = T>) -> &[T] {
        let items: Vec<T> = items.into_iter().collect();
        self.rows.alloc_slice_copy(&items)
    }

    /// Copies a row, or another value that owns no memory, into the arena.
    pub fn item<T: Copy>(&self, item: T) -> &T {
        self.rows.alloc(item)
    }

    /// Keeps a regular expression, which must compile.
    pub fn pattern(&self, source: &str) -> &Pattern {
        self.patterns.alloc(Pattern::owned(source.to_owned()))
    }
}
