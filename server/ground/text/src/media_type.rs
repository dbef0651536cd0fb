//! Media types that other programs send.

/// What a media type is called that is none.
const UNKNOWN_TYPE: &str = "application/octet-stream";
/// Length limit of a media type, in bytes.
const MAX_TYPE: usize = 255;

/// Returns a media type as it is, or the type of unknown bytes if it is none: `image/png`, `text/plain; charset=utf-8`.
pub fn media_type(text: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+*".contains(c);
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    let is_essence = essence.split_once('/').is_some_and(|(kind, name)| {
        [kind, name].iter().all(|part| !part.is_empty() && part.chars().all(is_name))
    });
    let is_line = text.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    if is_essence && is_line && text.len() <= MAX_TYPE { text } else { UNKNOWN_TYPE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_types() {
        for valid in ["image/png", "text/plain; charset=utf-8", "application/vnd.a+json;x=\"b c\""]
        {
            assert_eq!(media_type(valid), valid);
        }
        let long = format!("a/{}", "b".repeat(300));
        for other in ["", "png", "/", "image/png\r\nX: y", "image/png\u{1b}[1m", "a/b/c", &long] {
            assert_eq!(media_type(other), UNKNOWN_TYPE, "{other}");
        }
    }
}
