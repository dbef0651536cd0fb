//! The memory of rows that are created at run time.

use bumpalo::Bump;

/// The memory of the rows of an authority. It is freed with the authority.
#[derive(Default)]
pub struct Arena(Bump);

impl Arena {
    /// Copies a text into the arena.
    pub fn text(&self, text: &str) -> &str {
        self.0.alloc_str(text)
    }

    /// Copies rows, or other values that own no memory, into the arena.
    pub fn list<T: Copy>(&self, items: impl IntoIterator<Item = T>) -> &[T] {
        let items: Vec<T> = items.into_iter().collect();
        self.0.alloc_slice_copy(&items)
    }
}
