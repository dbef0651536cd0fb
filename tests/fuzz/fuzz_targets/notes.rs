//! Notes that converse: any text is read without a loss, and what a model or a tool says stays in its block.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use toolwrit_chat::format::splice::{self, InsertionPoint};
use toolwrit_chat::format::{BlockId, Document, Header, Inert, Kind, Payload, State, Status, write};

fuzz_target!(|text: &str| {
    let document = Document::parse(text);
    let parts: String = document.parts().iter().map(|part| &text[part.range()]).collect();
    assert_eq!(parts, text);
    for block in document.run_blocks(&["vault"]).into_iter().flatten() {
        assert!(text.get(block.range).is_some());
    }

    let header = |kind, status| {
        Header::new(kind, BlockId::from_number(1), "vault.read", State::new(status, "1 ms"))
    };
    let words = write::write_words(&header(Kind::Assistant, Status::Said), &Inert::default().words(text));
    let (arguments, result) = (json!({ "text": text }), Payload::from(json!(text)));
    let call = write::write_call(&header(Kind::Tool, Status::Ok), &arguments, Some(&result));
    for block in [words, call] {
        assert!(block.split(['\n', '\r']).all(|line| line.starts_with('>')), "{block}");
        let note = splice::insert("What?\n", &InsertionPoint::End, &[block]).expect("the end is a place").text;
        let document = Document::parse(&note);
        assert_eq!(document.blocks().count(), 1, "{note}");
        assert!(document.run_blocks(&["vault"]).is_empty(), "{note}");
        if let Some(block) = document.blocks().find(|block| block.header.kind == Kind::Tool) {
            assert_eq!(block.arguments(), Some(Payload::Json(arguments.clone())), "{note}");
            assert_eq!(block.result().as_ref(), Some(&result), "{note}");
        }
    }
});
