//! The rules for the segments of a path.

use super::escape::unseen_characters;
use super::fault::PathFault;
use super::{NAME_LIMIT, PATH_LIMIT};

pub(super) fn check_path(text: &str) -> Result<(), PathFault> {
    if text.is_empty() {
        return Err(PathFault::Empty);
    }
    if text.len() > PATH_LIMIT {
        return Err(PathFault::LongPath(text.len()));
    }
    if text.starts_with('/') {
        return Err(PathFault::Absolute);
    }
    if text == "~" || text.starts_with("~/") {
        return Err(PathFault::Home);
    }
    if matches!(drive_rest(text), Some([] | [b'/' | b'\\', ..])) {
        return Err(PathFault::Drive);
    }
    if text.ends_with('/') {
        return Err(PathFault::TrailingSlash);
    }
    // The end of a text for the system, which would see another name.
    if text.contains('\0') {
        return Err(PathFault::Control(0));
    }
    text.split('/').try_for_each(check_segment)?;
    // Windows has no files with such names: they would name drives, devices, streams or other files.
    match text.contains('\\') {
        _ if !cfg!(windows) => Ok(()),
        true => Err(PathFault::Backslash),
        false => check_portable(text),
    }
}

/// Refuses names that no new file or folder may have. Files with such names may exist.
pub(super) fn check_new(text: &str) -> Result<(), PathFault> {
    check_visible(text)?;
    check_portable(text)
}

/// Refuses characters that are shown escaped.
pub(super) fn check_visible(text: &str) -> Result<(), PathFault> {
    if text.contains('\\') {
        return Err(PathFault::Backslash);
    }
    match unseen_characters(text).next() {
        Some((_, c)) if c.is_control() => Err(PathFault::Control(c.into())),
        Some((_, c)) => Err(PathFault::Invisible(c.into())),
        None => Ok(()),
    }
}

/// Refuses names that some system does not allow.
fn check_portable(text: &str) -> Result<(), PathFault> {
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
