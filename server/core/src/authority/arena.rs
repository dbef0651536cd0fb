//! The memory of rows that are made while the program runs.

use bumpalo::Bump;

/// Where the rows of an authority are written. It is freed with the authority.
#[derive(Default)]
pub struct Arena(Bump);

impl Arena {
    /// Keeps a text.
    pub fn text(&self, text: &str) -> &str {
        self.0.alloc_str(text)
    }

    /// Keeps rows and other values that own no memory.
    pub fn list<T: Copy>(&self, items: impl IntoIterator<Item = T>) -> &[T] {
        let items: Vec<T> = items.into_iter().collect();
        self.0.alloc_slice_copy(&items)
    }
}
