//! Properties of any text and any edit.

use proptest::prelude::*;
use serde_json::{Map, Value};
use toolwrit_wordpress::blocks::{Block, Document, Piece};

use super::path;

/// Texts of what delimiters consist of.
fn soup() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("<!-- wp:a -->"),
        Just("<!-- /wp:a -->"),
        Just("<!-- wp:b/c {\"d\":[1,{\"e\":\"}\"}]} /-->"),
        Just("<!-- wp:a {"),
        Just("<!--"),
        Just(" -->"),
        Just("} /-->"),
        Just("}"),
        Just(" "),
        Just("\n"),
        Just("/"),
        Just("wp:x"),
        Just("<p>"),
        Just("é"),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

/// Markup in which blocks begin and end in pairs.
fn markup() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("<!-- wp:spacer /-->".to_owned()),
        Just("<!-- wp:p {\"a\":1} -->\n<p>x</p>\n<!-- /wp:p -->".to_owned()),
        Just("<!-- wp:q --><div></div><!-- /wp:q -->".to_owned()),
    ];
    let block = leaf.prop_recursive(4, 30, 4, |inner| {
        prop::collection::vec(inner, 0..4).prop_map(|inner| {
            format!("<!-- wp:group -->\n<div>{}</div>\n<!-- /wp:group -->", inner.join("\n\n"))
        })
    });
    prop::collection::vec(block, 1..5).prop_map(|blocks| blocks.join("\n\n"))
}

/// Writes blocks and the text between them.
fn written(document: &Document) -> String {
    let (mut text, mut at) = (String::new(), 0);
    for block in document.blocks() {
        text += &document.as_str()[at..block.span().start];
        text += &block_written(block);
        at = block.span().end;
    }
    text + &document.as_str()[at..]
}

fn block_written(block: Block<'_>) -> String {
    let pieces = block.pieces();
    let inner: String = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Html(html) => (*html).to_owned(),
            Piece::Block(block) => block_written(*block),
        })
        .collect();
    let markup = block.markup();
    if pieces.is_empty() {
        return markup.to_owned();
    }
    let start = markup.find(&inner).unwrap();
    format!("{}{inner}{}", &markup[..start], &markup[start + inner.len()..])
}

/// The markup of each block in order of paths, but not of those above or below a path.
fn others(document: &Document, named: &[usize]) -> Vec<String> {
    let is_near = |positions: &[usize]| {
        let shared = positions.len().min(named.len());
        positions[..shared] == named[..shared]
    };
    let all = document.walk().filter(|(path, _)| {
        let mut positions = path.parents().to_vec();
        positions.push(path.last());
        !is_near(&positions)
    });
    all.map(|(_, block)| block.markup().to_owned()).collect()
}

proptest! {
    #[test]
    fn parsing_loses_nothing(text in prop_oneof![soup(), any::<String>()]) {
        let document = Document::parse(text.as_str());
        prop_assert_eq!(document.as_str(), text.as_str());
        prop_assert_eq!(written(&document), text);
    }

    #[test]
    fn edits_of_anything_leave_it_valid_or_are_refused(text in soup(), at in 0..4_usize) {
        let document = Document::parse(text);
        let changes = Map::from_iter([("k".to_owned(), Value::from("--> <!-- /wp:a -->"))]);
        let edits = [
            document.insert(&path(&[at]), "<!-- wp:n {\"m\":1} /-->"),
            document.replace(&path(&[at]), "<!-- wp:n {\"m\":1} /-->"),
            document.remove(&path(&[at])),
            document.r#move(&path(&[at]), &path(&[0])),
            document.set_attributes(&path(&[at]), &changes),
        ];
        for edited in edits.into_iter().flatten() {
            prop_assert!(edited.problem().is_none());
        }
    }

    #[test]
    fn edits_touch_only_what_they_name(text in markup(), seed in any::<prop::sample::Index>()) {
        let document = Document::parse(text.as_str());
        let paths: Vec<_> = document.walk().map(|(path, _)| path).collect();
        let named = seed.get(&paths);
        let mut positions = named.parents().to_vec();
        positions.push(named.last());
        let before = others(&document, &positions);

        let replaced = document.replace(named, "<!-- wp:n /-->").unwrap();
        prop_assert_eq!(others(&replaced, &positions), before.clone());
        let back = replaced.replace(named, document.block(named).unwrap().markup()).unwrap();
        prop_assert_eq!(back.as_str(), text.as_str());

        let inserted = document.insert(named, "<!-- wp:n /-->").unwrap();
        let back = inserted.remove(named).unwrap();
        prop_assert_eq!(back.as_str(), text.as_str());

        let changes = Map::from_iter([("k".to_owned(), Value::from(1))]);
        let changed = document.set_attributes(named, &changes).unwrap();
        prop_assert_eq!(others(&changed, &positions), before);
        let none = Map::from_iter([("k".to_owned(), Value::Null)]);
        let back = changed.set_attributes(named, &none).unwrap();
        prop_assert_eq!(back.as_str(), text.as_str());
    }
}
