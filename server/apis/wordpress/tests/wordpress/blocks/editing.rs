//! Edits of blocks.

use serde_json::{Map, Value, json};
use toolwrit_wordpress::blocks::{BlockError, Document};

use super::{outline_of, path};

const POST: &str = "<!-- wp:heading -->\n<h2>A</h2>\n<!-- /wp:heading -->\n\n<!-- wp:group -->\n\
    <div class=\"wp-block-group\"></div>\n<!-- /wp:group -->\n\n<!-- wp:paragraph {\"align\":\"left\",\"n\":1.50} -->\n\
    <p>Text</p>\n<!-- /wp:paragraph -->";
const SPACER: &str = "<!-- wp:spacer /-->";

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("not an object") };
    object
}

#[test]
fn inserts_between_blocks() {
    let document = Document::parse(POST);
    let edited = document.insert(&path(&[1]), SPACER).unwrap();
    assert_eq!(
        outline_of(&edited),
        ["[0] core/heading", "[1] core/spacer", "[2] core/group", "[3] core/paragraph"]
    );
    assert_eq!(
        edited.as_str(),
        POST.replace("<!-- wp:group", "<!-- wp:spacer /-->\n\n<!-- wp:group")
    );
}

#[test]
fn inserts_at_the_end_and_into_an_empty_post() {
    let edited = Document::parse(POST).insert(&path(&[3]), SPACER).unwrap();
    assert_eq!(edited.as_str(), format!("{POST}\n\n{SPACER}"));
    let edited = Document::parse("").insert(&path(&[0]), SPACER).unwrap();
    assert_eq!(edited.as_str(), SPACER);
}

#[test]
fn inserts_into_the_element_of_an_empty_container() {
    let edited = Document::parse(POST).insert(&path(&[1, 0]), SPACER).unwrap();
    let expected = POST.replace("group\"></div>", "group\"><!-- wp:spacer /--></div>");
    assert_eq!(edited.as_str(), expected);
}

#[test]
fn inserts_several_blocks() {
    let edited =
        Document::parse(POST).insert(&path(&[0]), &format!("{SPACER}\n{SPACER}\n")).unwrap();
    assert_eq!(
        outline_of(&edited)[..3],
        ["[0] core/spacer", "[1] core/spacer", "[2] core/heading"]
    );
}

#[test]
fn refuses_places_that_do_not_exist() {
    let document = Document::parse(POST);
    let refused = document.insert(&path(&[4]), SPACER).unwrap_err();
    assert_eq!(refused, BlockError::NoPosition { path: path(&[4]), blocks: 3 });
    let refused = document.insert(&path(&[9, 0]), SPACER).unwrap_err();
    assert_eq!(refused.to_string(), "there is no block [9, 0]: the blocks there are 0 to 2");
    let refused = document.insert(&path(&[2, 0]), SPACER).unwrap_err();
    let (at, name) = (path(&[2]), "core/paragraph".to_owned());
    assert_eq!(refused, BlockError::NotContainer { path: at, name });
    for markup in ["", "text", "<!-- wp:a -->", "<!-- /wp:a -->", "<!-- wp:a /--> text"] {
        assert!(document.insert(&path(&[0]), markup).is_err(), "{markup}");
        assert!(document.replace(&path(&[0]), markup).is_err(), "{markup}");
    }
}

#[test]
fn replaces_a_block_and_nothing_else() {
    let edited = Document::parse(POST).replace(&path(&[0]), SPACER).unwrap();
    assert_eq!(
        edited.as_str(),
        format!("{SPACER}{}", &POST[POST.find("\n\n<!-- wp:group").unwrap()..])
    );
}

#[test]
fn removes_a_block_with_the_space_beside_it() {
    let document = Document::parse(POST);
    let edited = document.remove(&path(&[0])).unwrap();
    assert_eq!(edited.as_str(), &POST[POST.find("<!-- wp:group").unwrap()..]);
    let edited = document.remove(&path(&[2])).unwrap();
    assert_eq!(edited.as_str(), &POST[..POST.find("\n\n<!-- wp:paragraph").unwrap()]);
    assert!(document.remove(&path(&[1, 0])).is_err());
}

#[test]
fn moves_a_block_to_the_path_it_has_afterwards() {
    let document = Document::parse(POST);
    let edited = document.r#move(&path(&[0]), &path(&[2])).unwrap();
    assert_eq!(outline_of(&edited), ["[0] core/group", "[1] core/paragraph", "[2] core/heading"]);
    let edited = document.r#move(&path(&[2]), &path(&[1, 0])).unwrap();
    assert_eq!(
        outline_of(&edited),
        ["[0] core/heading", "[1] core/group", "[1, 0] core/paragraph"]
    );
}

#[test]
fn changes_attributes_and_keeps_the_bytes_of_others() {
    let document = Document::parse(POST);
    let changes = object(json!({ "align": null, "className": "a--b <\"&>" }));
    let edited = document.set_attributes(&path(&[2]), &changes).unwrap();
    let attributes = r#"{"n":1.50,"className":"a\u002d\u002db \u003c\u0022\u0026\u003e"}"#;
    assert_eq!(edited.as_str(), POST.replace(r#"{"align":"left","n":1.50}"#, attributes));
    let block = edited.block(&path(&[2])).unwrap();
    assert_eq!(block.attributes().unwrap()["className"], "a--b <\"&>");
}

#[test]
fn adds_the_first_attribute_and_removes_the_last() {
    let document = Document::parse(POST);
    let edited = document.set_attributes(&path(&[0]), &object(json!({ "level": 3 }))).unwrap();
    assert_eq!(
        edited.as_str(),
        POST.replace("wp:heading -->\n<h2>", "wp:heading {\"level\":3} -->\n<h2>")
    );
    let back = edited.set_attributes(&path(&[0]), &object(json!({ "level": null }))).unwrap();
    assert_eq!(back.as_str(), POST);
    let void = Document::parse(SPACER).set_attributes(&path(&[0]), &object(json!({ "a": 1 })));
    assert_eq!(void.unwrap().as_str(), "<!-- wp:spacer {\"a\":1} /-->");
}

#[test]
fn refuses_attributes_where_there_can_be_none() {
    let changes = object(json!({ "a": 1 }));
    let refused = Document::parse("text").set_attributes(&path(&[0]), &changes).unwrap_err();
    assert_eq!(refused, BlockError::Freeform(path(&[0])));
    let refused = Document::parse("<!-- wp:a {b} /-->").set_attributes(&path(&[0]), &changes);
    assert_eq!(refused.unwrap_err(), BlockError::Attributes(path(&[0])));
}

/// The text is the beginning of a delimiter, which the attributes of the new block would end.
#[test]
fn refuses_edits_that_would_change_other_blocks() {
    let document = Document::parse("<!-- wp:a {");
    let refused = document.insert(&path(&[1]), "<!-- wp:b {\"c\":1} /-->").unwrap_err();
    assert_eq!(refused, BlockError::Entangled(path(&[1])));
}
