//! How names of the manifest are written in Rust. The macros use the same functions, so names that
//! are unique here are unique there.

use toolwrit_text::capitalise;
use unicode_ident::{is_xid_continue, is_xid_start};

/// `read_file` and `read-file` become `ReadFile`: parameter structs, generated types.
pub fn type_name(name: &str) -> String {
    // Not every letter and digit can be in an identifier: `²` and `Ⓐ` cannot.
    let parts = name.split(|c: char| !(c.is_alphanumeric() && is_xid_continue(c)));
    parts.map(capitalise).collect()
}

/// `smart-connections` and `smartConnections` become `smart_connections`: modules, methods, fields.
pub fn value_name(name: &str) -> String {
    let mut snake = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && snake.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            snake.push('_');
        }
        snake.push(if "-.".contains(letter) { '_' } else { letter.to_ascii_lowercase() });
    }
    snake
}

/// The Rust variant for a value of an enum. Values that are not valid names are changed: `2`
/// becomes `V2`, `self` becomes `SelfValue`, `ALL` becomes `AllValue` beside the constant `ALL` of every enum, and a
/// value without letters or digits becomes `Other`.
pub fn variant_name(value: &str) -> String {
    let camel = type_name(value);
    match (camel.as_str(), camel.chars().next()) {
        (_, None) => "Other".to_owned(),
        ("Self", _) => "SelfValue".to_owned(),
        ("ALL", _) => "AllValue".to_owned(),
        (_, Some(first)) if !is_xid_start(first) => format!("V{camel}"),
        _ => camel,
    }
}

/// The name as a Rust identifier; keywords become raw, as in `r#move`. The language refuses the few
/// keywords that cannot be raw.
pub fn identifier(name: &str) -> String {
    if is_keyword(name) { format!("r#{name}") } else { name.to_owned() }
}

/// Strict and reserved keywords of the 2024 edition that can be raw.
pub fn is_keyword(name: &str) -> bool {
    const KEYWORDS: [&str; 48] = [
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do",
        "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in",
        "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
        "return", "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe",
        "unsized", "use", "virtual", "where", "while", "yield",
    ];
    KEYWORDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_a_variant_that_is_an_identifier() {
        for character in char::MIN..=char::MAX {
            for value in [format!("{character}"), format!("a{character}b"), format!("_{character}")]
            {
                let variant = variant_name(&value);
                let mut characters = variant.chars();
                let is_identifier =
                    characters.next().is_some_and(is_xid_start) && characters.all(is_xid_continue);
                assert!(is_identifier, "`{value}` is `{variant}`");
            }
        }
    }
}
