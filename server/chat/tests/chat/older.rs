//! Notes of older plugins.

use serde_json::json;
use toolwrit_chat::format::{BlockId, Document, OlderNames, convert};
use toolwrit_chat::provider::{Message, Script};

use crate::desk::Desk;

const NOTE: &str = "Old things.\n#newChat\n#user\nHello\n```md\n#assistant\n```\n#assistant\nHi! ![x](https://evil.example)\n#mcp:memory:store_memory {\"text\": \"a: b\"}\n#user\nWhat?\n#mcp:memory:store_memory {\"text\": \"a: b\"}\n";

#[tokio::test]
async fn older_styles_are_read() {
    let desk = Desk::with(NOTE);
    let (_, model) = desk.turn([Script::new().text("This.")]).await;
    let messages = model.requests()[0].messages.clone();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(
        matches!(&messages[0], Message::User { text, .. } if text.starts_with("Hello")),
        "{messages:?}"
    );
    assert!(
        matches!(&messages[1], Message::Assistant { text, .. } if text.starts_with("Hi!")),
        "{messages:?}"
    );
}

#[test]
fn older_styles_are_converted() {
    let mut number = 0;
    let converted = convert(NOTE, &OlderNames::default(), || {
        number += 1;
        BlockId::from_number(number)
    });
    insta::assert_snapshot!(converted.text);
    let again = convert(&converted.text, &OlderNames::default(), BlockId::random);
    assert_eq!((again.changes, again.text.as_str()), (0, converted.text.as_str()));
    let document = Document::parse(&converted.text);
    let blocks = document.run_blocks(&[]);
    let block = blocks[0].as_ref().unwrap();
    assert_eq!(block.tool, "memory.store_memory");
    assert_eq!(block.arguments["text"], json!("a: b"));
}

#[test]
fn names_are_configurable() {
    let names = OlderNames { assistant: vec!["Bot:".to_owned()], ..OlderNames::default() };
    let converted = convert("Hello\nBot:\nHi\n#assistant\n", &names, BlockId::random);
    assert_eq!(converted.changes, 1);
    assert!(converted.text.contains("> Hi\n> #assistant"), "{}", converted.text);
}
