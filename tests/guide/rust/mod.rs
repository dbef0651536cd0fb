//! The Rust that pages of the guide show, in a file for each page. It is compiled, and not run. The test `fetching` compiles
//! `fetching.rs`, which needs the feature `client`.
#![allow(
    dead_code,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    clippy::unused_self,
    reason = "it is compiled and not run, and has less than the pages speak of"
)]

mod asking;
