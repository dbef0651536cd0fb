//! The YAML frontmatter of Markdown notes: its properties, and edits of them.
//!
//! An edit changes the lines of one property and keeps every other byte: quoting, style, comments, order
//! and line endings. The values follow the core schema of YAML 1.2, as in Obsidian.
//!
//! `node` parses YAML with positions, and `edit` and `splice` change one property. An edit needs the position of its
//! property, and reading and editing must agree, so that both use granit-parser.

mod block;
mod depth;
mod edit;
mod gaps;
mod node;
mod properties;
mod render;
mod scalar;
mod span;
mod splice;
mod texts;

pub use block::FrontmatterBlock;
pub use depth::is_shallow;
pub use edit::{Edit, EditError, edit};
pub use properties::{InvalidFrontmatter, Properties, aliases, parse, read, tag, tags};
pub use span::Span;
pub use texts::{PropertyText, Quoting, texts};
