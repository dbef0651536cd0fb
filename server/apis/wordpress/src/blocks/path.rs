use std::fmt;

/// The place of a block: its position among the blocks of a post, then among the inner blocks of that block, and so on.
/// `[0, 2]` is the third inner block of the first block.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockPath {
    parents: Vec<usize>,
    last: usize,
}

impl BlockPath {
    /// Returns the path with these positions; `None` if there are none.
    pub fn new(positions: &[usize]) -> Option<Self> {
        let (&last, parents) = positions.split_last()?;
        Some(Self { parents: parents.to_vec(), last })
    }

    /// The positions above the last one.
    pub fn parents(&self) -> &[usize] {
        &self.parents
    }

    /// The position in the block that is named by [`Self::parents`].
    pub fn last(&self) -> usize {
        self.last
    }

    /// The path of a block so many positions after this one.
    pub(super) fn shift(&self, positions: usize) -> Self {
        Self { parents: self.parents.clone(), last: self.last + positions }
    }
}

impl fmt::Display for BlockPath {
    /// Writes the path as a JSON array.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        self.parents.iter().try_for_each(|position| write!(f, "{position}, "))?;
        write!(f, "{}]", self.last)
    }
}
