//! Code spans: `..` within a line.

pub(super) fn text_outside_code(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        found.push(&rest[..at]);
        rest = &rest[at..];
        let length = rest.len() - rest.trim_start_matches('`').len();
        rest = &rest[length + find_closing_run(&rest[length..], length).unwrap_or_default()..];
    }
    found.push(rest);
    found
}

/// Where the run of exactly this many backticks ends.
pub(super) fn find_closing_run(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let run = text[at + found..].len() - text[at + found..].trim_start_matches('`').len();
        if run == length {
            return Some(at + found + run);
        }
        at += found + run;
    }
    None
}
