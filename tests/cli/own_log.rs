//! The log of an author's own program.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use crate::cli::program::command;

#[test]
fn a_tracing_subscriber_of_the_author_is_kept() {
    let mut shop = command(Path::new(env!("CARGO_BIN_EXE_shop")));
    let streams =
        shop.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut serving = streams.spawn().expect("the server starts");
    let mut input = serving.stdin.take().expect("a pipe");
    input.write_all(b"not a message\n").expect("the server reads");
    drop(input);
    let ended = serving.wait_with_output().expect("the server ends");
    let log = String::from_utf8(ended.stderr).expect("text");
    // The author's log has no times.
    assert!(log.trim_start().starts_with("WARN"), "{log}");
}
