//! Files that are not notes, in a form that language models take: images that are small enough, and the text of PDF documents.
//!
//! The crate knows bytes and limits, but no vault, no MCP and no operations. All calls block; run them on a blocking thread.
//!
//! - `kind` says by its name what a file is.
//! - `picture` scales images. Of animations the first picture is kept if they are too large.
//! - `pdf` reads the text of pages. A damaged document is an error, never a panic.
//!
//! The limits are those of clients: Claude Desktop refuses results above 1,048,576 characters, Anthropic's API images
//! above 5 MB and, among many, above 2,000 pixels.

mod error;
mod kind;
mod pdf;
mod picture;

pub use error::MediaError;
pub use kind::MediaKind;
pub use pdf::{MOST_PAGES, PdfText, read_pdf};
pub use picture::{LONGEST_SIDE, Picture, show_picture};
