//! The handlers, a file for each category that has some.

mod batch;
mod gutenberg;
mod media;
