//! The rules for the segments of a path.

use super::fault::PathFault;
use super::{NAME_LIMIT, PATH_LIMIT};

pub(super) fn check_path(text: &str) -> Result<(), PathFault> {
    if text.is_empty() {
        return Err(PathFault::Empty);
    }
    if text.len() > PATH_LIMIT {
        return Err(PathFault::LongPath(text.len()));
    }
    if text.starts_with(['/', '\\']) {
        return Err(PathFault::Absolute);
    }
    if text == "~" || text.starts_with("~/") || text.starts_with("~\\") {
        return Err(PathFault::Home);
    }
    if matches!(drive_rest(text), Some([] | [b'/' | b'\\', ..])) {
        return Err(PathFault::Drive);
    }
    if text.contains('\\') {
        return Err(PathFault::Backslash);
    }
    if text.ends_with('/') {
        return Err(PathFault::TrailingSlash);
    }
    check_characters(text)?;
    text.split('/').try_for_each(check_segment)?;
    // Windows has no files with such names: they would name drives, devices, streams or other files.
    if cfg!(windows) { check_portable(text) } else { Ok(()) }
}

/// Refuses names that some system does not allow. Files with such names may exist on other systems.
pub(super) fn check_portable(text: &str) -> Result<(), PathFault> {
    if drive_rest(text).is_some() {
        return Err(PathFault::Drive);
    }
    text.split('/').try_for_each(check_portable_segment)
}

/// What follows a drive letter and its colon, if the path begins with them.
fn drive_rest(text: &str) -> Option<&[u8]> {
    match text.as_bytes() {
        [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() => Some(rest),
        _ => None,
    }
}

fn check_segment(segment: &str) -> Result<(), PathFault> {
    match segment {
        "" => return Err(PathFault::EmptySegment),
        "." => return Err(PathFault::CurrentFolder),
        ".." => return Err(PathFault::ParentFolder),
        _ => {}
    }
    if segment.len() > NAME_LIMIT {
        return Err(PathFault::LongName(segment.len()));
    }
    if segment.starts_with('.') {
        return Err(PathFault::Hidden(segment.to_owned()));
    }
    Ok(())
}

fn check_portable_segment(segment: &str) -> Result<(), PathFault> {
    let is_forbidden = |c: &char| matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*');
    if let Some(forbidden) = segment.chars().find(is_forbidden) {
        return Err(PathFault::Forbidden(forbidden));
    }
    if segment.ends_with(['.', ' ']) {
        return Err(PathFault::TrailingDotOrSpace(segment.to_owned()));
    }
    if is_device(segment) {
        return Err(PathFault::Device(segment.to_owned()));
    }
    Ok(())
}

/// Reserved device names, with or without extension.
/// Source: "Naming Files, Paths, and Namespaces", Windows App Development documentation.
fn is_device(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or(segment).trim_end().to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    port.is_some_and(|number| {
        let mut digits = number.chars();
        matches!((digits.next(), digits.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    })
}

fn check_characters(text: &str) -> Result<(), PathFault> {
    let mut previous = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c.is_control() {
            return Err(PathFault::Control(c.into()));
        }
        if is_invisible(c) || (is_joiner(c) && !is_valid_joiner(previous, rest.clone().next())) {
            return Err(PathFault::Invisible(c.into()));
        }
        previous = Some(c);
    }
    Ok(())
}

/// Characters that are invisible or reorder text: bidirectional controls, zero-width spaces,
/// fillers, separators, tags.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Zero-width joiner and non-joiner: part of emoji and of Persian or Indic words.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

/// A joiner is valid between two characters of such scripts, but not next to ASCII or at an end.
fn is_valid_joiner(before: Option<char>, after: Option<char>) -> bool {
    [before, after].iter().all(|side| side.is_some_and(|c| !c.is_ascii() && !is_joiner(c)))
}
