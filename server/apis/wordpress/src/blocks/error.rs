use super::BlockPath;

/// Why blocks cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// The markup has a block without an end.
    #[error("the block {name} in line {line} has no end")]
    Unclosed {
        name: String,
        /// The line in which it begins, from 1.
        line: usize,
    },
    /// The markup ends a block that has no beginning.
    #[error("line {line} ends a block that has no beginning")]
    Unopened { line: usize },
    /// There is no block at a path.
    #[error("there is no block {path}: {}", describe_siblings(*.blocks))]
    NoBlock {
        path: BlockPath,
        /// How many blocks there are at its level, or at the first level that exists.
        blocks: usize,
    },
    /// A new block cannot be at a path.
    #[error("no block can be put at {path}: {}", describe_siblings(*.blocks))]
    NoPosition {
        path: BlockPath,
        /// How many blocks there are at its level.
        blocks: usize,
    },
    /// A block has content of its own and no inner blocks.
    #[error("the block {path}, {name}, does not hold other blocks")]
    NotContainer { path: BlockPath, name: String },
    /// What should be inserted is not only blocks.
    #[error("the markup is not one or more blocks")]
    NotBlocks,
    /// A block has no attributes, because it is text without delimiters.
    #[error("the block {0} is text without delimiters, and has no attributes")]
    Freeform(BlockPath),
    /// The attributes of a block are not a JSON object.
    #[error("the attributes of the block {0} are not valid JSON")]
    Attributes(BlockPath),
    /// The text around a block would change the meaning of the edited markup.
    #[error("the edit would change other blocks than {0}")]
    Entangled(BlockPath),
}

fn describe_siblings(blocks: usize) -> String {
    match blocks {
        0 => "there are no blocks".to_owned(),
        1 => "the only block there is 0".to_owned(),
        _ => format!("the blocks there are 0 to {}", blocks - 1),
    }
}
