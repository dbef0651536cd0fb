//! Queries in other languages than the manifest's find operations with a shared word, or nothing, but never
//! unrelated operations.

use crate::discovery::Server;

/// None of their words is in the manifest.
const FOREIGN: &[&str] = &[
    "lösche die veraltete Notiz über Gezeiten",
    "créer une nouvelle page pour le voyage",
    "elimina la nota de la compra",
    "переименуй заметку",
    "メモを削除してください",
    "删除旧的草稿",
    "노트를 검색해 줘",
    "احذف الملاحظة",
    "यह नोट हटाओ",
    "מחק את הפתק",
    "slet notatet om fyret",
    "usuń stare szkice",
];

/// Some of their words are in the manifest and name an operation.
const MIXED: &[(&str, &str)] = &[
    ("bitte rename diese Notiz", "vault.rename"),
    ("メモを vault_delete で消す", "vault.delete"),
    ("用 backlinks 看引用", "vault.backlinks"),
    ("покажи мне tags", "vault.tags"),
    ("بحث search", "vault.search"),
    ("¿cómo funciona rename?", "vault.rename"),
];

#[test]
fn queries_in_other_languages_find_no_unrelated_operations() {
    let mut server = Server::start(&[]);
    let found: Vec<_> = FOREIGN.iter().map(|query| (query, server.search(query))).collect();
    let wrong: Vec<_> = found.iter().filter(|(_, found)| !found.is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn queries_in_mixed_languages_find_the_named_operations() {
    let mut server = Server::start(&[]);
    for (query, operation) in MIXED {
        assert_eq!(server.search(query).first().map(String::as_str), Some(*operation), "{query}");
    }
}
