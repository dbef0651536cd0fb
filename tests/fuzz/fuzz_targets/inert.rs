//! The words of a model: whatever they are, nothing in their block acts for a reader of Markdown.
#![no_main]

#[path = "../../../server/chat/tests/chat/acting.rs"]
mod acting;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|answer: &str| {
    if let Err(acts) = acting::check(answer) {
        panic!("{acts}");
    }
});
