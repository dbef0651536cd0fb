//! What is a block, and what is not.

use serde_json::json;
use toolwrit_wordpress::blocks::{BlockError, Document};

use super::{outline, path};

const NESTED: &str = "<!-- wp:columns {\"isStacked\":true} -->\n<div class=\"wp-block-columns\"><!-- wp:column -->\n\
    <div class=\"wp-block-column\"><!-- wp:paragraph -->\n<p>One <b>two</b></p>\n<!-- /wp:paragraph --></div>\n\
    <!-- /wp:column -->\n\n<!-- wp:acme/map {\"zoom\":3} /--></div>\n<!-- /wp:columns -->\n\n<p>classic</p>\n";

#[test]
fn blocks_have_paths_and_names() {
    assert_eq!(
        outline(NESTED),
        [
            "[0] core/columns",
            "[0, 0] core/column",
            "[0, 0, 0] core/paragraph",
            "[0, 1] acme/map",
            "[1] core/freeform",
        ]
    );
}

#[test]
fn a_block_has_attributes_markup_and_an_excerpt() {
    let document = Document::parse(NESTED);
    let map = document.block(&path(&[0, 1])).unwrap();
    assert_eq!(json!(map.attributes()), json!({ "zoom": 3 }));
    assert_eq!(map.markup(), "<!-- wp:acme/map {\"zoom\":3} /-->");
    let paragraph = document.block(&path(&[0, 0, 0])).unwrap();
    assert_eq!(paragraph.excerpt(80), "One two");
    assert_eq!(paragraph.excerpt(4), "One…");
    assert_eq!(document.block(&path(&[1])).unwrap().markup(), "<p>classic</p>");
    assert!(document.problem().is_none());
}

#[test]
fn comments_that_are_no_delimiters_are_text() {
    for text in [
        "<!-- wp: -->",
        "<!--wp:a -->",
        "<!-- wp:a-->",
        "<!-- wp:A -->",
        "<!-- wp:a/ -->",
        "<!-- wp:a/b/c -->",
        "<!-- wp:a {\"b\":1}-->",
        "<!-- wp:a [1] -->",
        "<!-- wp:a { -->",
        "<!-- more -->",
        "<!-- wp:a",
        "<!--",
    ] {
        assert_eq!(outline(text), ["[0] core/freeform"], "{text}");
    }
}

#[test]
fn attributes_may_contain_the_end_of_a_comment() {
    let text = "<!-- wp:a {\"b\":\"} x --> {\",\"c\":{\"d\":{}}} /-->";
    let document = Document::parse(text);
    let block = document.block(&path(&[0])).unwrap();
    assert_eq!(json!(block.attributes()), json!({ "b": "} x --> {", "c": { "d": {} } }));
}

#[test]
fn attributes_that_are_not_json_are_no_attributes() {
    let document = Document::parse("<!-- wp:a {b} /-->");
    assert_eq!(document.block(&path(&[0])).unwrap().attributes(), None);
}

#[test]
fn blocks_without_an_end_are_named() {
    let document = Document::parse("<!-- wp:a -->\n<!-- wp:b -->x");
    assert_eq!(
        document.problem(),
        Some(&BlockError::Unclosed { name: "core/b".to_owned(), line: 2 })
    );
    assert!(document.insert(&path(&[0]), "<!-- wp:c /-->").is_err());
}

#[test]
fn what_follows_an_end_without_a_beginning_is_text() {
    let document = Document::parse("<!-- wp:a /-->\n<!-- /wp:b --><!-- wp:c /-->");
    assert_eq!(document.problem(), Some(&BlockError::Unopened { line: 2 }));
    assert_eq!(
        document.blocks().map(|block| block.name().to_owned()).collect::<Vec<_>>(),
        ["core/a", "core/freeform"]
    );
}

#[test]
fn deep_and_unfinished_markup_takes_linear_time() {
    let deep = "<!-- wp:a -->".repeat(50_000) + &"<!-- /wp:a -->".repeat(50_000);
    let document = Document::parse(deep.as_str());
    assert!(document.problem().is_none());
    assert_eq!(document.blocks().count(), 1);
    let unfinished = "<!-- wp:a {".repeat(200_000);
    assert_eq!(Document::parse(unfinished).blocks().count(), 1);
    let spaces = format!("<!--{}", " ".repeat(1_000_000));
    assert_eq!(Document::parse(spaces).blocks().count(), 1);
}
