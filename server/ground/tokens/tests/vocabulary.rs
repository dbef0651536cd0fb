//! The packed vocabulary counts as the crate that it comes from.

use std::fs;
use std::path::Path;

/// Texts of several languages, code, spaces and what looks like a special token.
const TEXTS: [&str; 7] = [
    "",
    "The quick brown fox jumps over the lazy dog.",
    "Überraschung: süße Möhrchen für 1.234.567 €!",
    "東京は日本の首都です。\n\nНаступление зимы — 🎿🏔️",
    "fn main() {\n    println!(\"{}\", 1 << 20);\n}\r\n\t\t  ",
    "<|endoftext|> and <|endofprompt|>",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"vault_read\"}}",
];

#[test]
fn texts_have_as_many_tokens_as_tiktoken_finds() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ARCHITECTURE.md");
    let guide = fs::read_to_string(guide).unwrap();
    let tiktoken = tiktoken_rs::o200k_base().unwrap();
    for text in TEXTS.into_iter().chain([guide.as_str()]) {
        assert_eq!(toolwrit_tokens::count(text), tiktoken.encode_ordinary(text).len(), "{text}");
    }
}
