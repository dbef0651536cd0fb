//! Answers of models: any bytes are read, in each API, and it does not matter where they are cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolwrit_chat::provider::{Dialect, Event, heard};

/// Words may come in other pieces.
fn joined(events: Vec<Event>) -> (String, Vec<Event>) {
    let mut words = String::new();
    let mut others = Vec::new();
    for event in events {
        match event {
            Event::Text(text) => words.push_str(&text),
            other => others.push(other),
        }
    }
    (words, others)
}

fuzz_target!(|input: (u8, u16, &[u8])| {
    let (dialect, cut, answer) = input;
    let dialect = Dialect::ALL[usize::from(dialect) % 5];
    let (start, end) = answer.split_at(usize::from(cut).min(answer.len()));
    let whole = joined(heard(dialect, &[answer]));
    assert_eq!(whole, joined(heard(dialect, &[start, end])));
    assert!(whole.1.len() <= answer.len());
});
