//! `vault.attachment`.

use serde_json::{Value, json};

use crate::vault::Session;

/// A picture of one pixel.
const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\x0dIDATx\xdacd\xf8\xcfP\x0f\x00\x03\x86\x01\x80Z4}k\x00\x00\x00\x00IEND\xaeB`\x82";

/// The blocks of content that a call returns.
fn blocks(vault: &mut Session, arguments: Value) -> Vec<Value> {
    let result = vault.call("attachment", arguments);
    assert!(!result.is_error(), "{}", result.0);
    let blocks = result.0["content"].as_array().unwrap().clone();
    assert!(blocks.iter().all(|block| block.to_string().len() <= 1_000_000));
    blocks
}

fn text(block: &Value) -> &str {
    assert_eq!(block["type"], "text");
    block["text"].as_str().unwrap()
}

#[test]
fn a_file_is_a_block_of_its_kind() {
    let recording = vec![7; 699_999];
    let mut vault = Session::with(&[
        ("Images/lamp.png", PNG),
        ("a.mp3", &recording),
        ("a b.svg", b"<svg/>"),
        ("data.csv", b"a,b"),
        ("film.mp4", b"film"),
    ]);
    let png = blocks(&mut vault, json!({"path": "Images/lamp.png"}));
    assert_eq!(text(&png[0]), "path: Images/lamp.png\ntype: image/png\nbytes: 70\npixels: 1 x 1\n");
    assert_eq!((&png[1]["type"], &png[1]["mimeType"]), (&json!("image"), &json!("image/png")));
    let audio = blocks(&mut vault, json!({"path": "a.mp3"}));
    assert_eq!((&audio[1]["type"], &audio[1]["mimeType"]), (&json!("audio"), &json!("audio/mpeg")));
    let svg = blocks(&mut vault, json!({"path": "a b.svg"}));
    assert_eq!(text(&svg[1]), "<svg/>");
    let csv = blocks(&mut vault, json!({"path": "data.csv"}));
    assert!(text(&csv[0]).contains("vault.read"), "{csv:?}");
    assert_eq!((&csv[1]["type"], &csv[1]["name"]), (&json!("resource_link"), &json!("data.csv")));
    assert_eq!(blocks(&mut vault, json!({"path": "film.mp4"}))[1]["type"], "resource_link");
    let link = blocks(&mut vault, json!({"path": "a b.svg", "as": "link"}));
    assert!(link[1]["uri"].as_str().unwrap().ends_with("/a%20b.svg"), "{link:?}");
    let only_text = blocks(&mut vault, json!({"path": "Images/lamp.png", "as": "text"}));
    assert_eq!(only_text.len(), 1);
}

#[test]
fn what_cannot_be_shown_is_refused_with_the_way_out() {
    let recording = vec![7; 700_001];
    let mut vault = Session::with(&[
        ("a.mp3", &recording),
        ("broken.png", b"no picture"),
        ("broken.pdf", b"no document"),
        ("lamp.png", PNG),
    ]);
    for (arguments, code, hint) in [
        (json!({"path": "a.mp3"}), "LIMIT_EXCEEDED", "as: link"),
        (json!({"path": "broken.png"}), "VALIDATION_ERROR", "as: link"),
        (json!({"path": "broken.pdf"}), "VALIDATION_ERROR", "as: link"),
        (json!({"path": "lamp.png", "pages": "1-3"}), "VALIDATION_ERROR", ""),
        (json!({"path": "broken.pdf", "pages": "3-1"}), "VALIDATION_ERROR", ""),
        (json!({"path": "gone.png"}), "NOT_FOUND", ""),
        (json!({"path": "../gone.png"}), "INVALID_PATH", ""),
    ] {
        let error = vault.call("attachment", arguments).error();
        assert_eq!(error["code"], code, "{error}");
        assert!(error["hint"].as_str().unwrap_or_default().contains(hint), "{error}");
    }
    blocks(&mut vault, json!({"path": "a.mp3", "as": "link"}));
    let error = vault.call("read", json!({"path": "lamp.png"})).error();
    assert!(error["hint"].as_str().unwrap().contains("vault.attachment"), "{error}");
}
