//! Tools of upstreams in conversations, and what they may carry out of the vault.

use std::fs;

use serde_json::{Value, json};
use toolwrit_tests::servers::model::{Model, Response};
use toolwrit_tests::vaults;

use crate::upstreams::Setup;
use crate::upstreams::scripted::{table, tool, write};

/// Whether a person is asked about the second of two calls. The upstream says this about what its tool `pid` reaches.
fn asks(annotations: &Value, trusted: bool, first: &str, second: &str) -> bool {
    let call = |tool: &str| {
        let arguments = match tool {
            "fetch" => json!({ "url": "https://127.0.0.1:9/" }),
            "vault_read" => json!({ "path": "Secret" }),
            _ => json!({}),
        };
        Response::default().call(tool, arguments)
    };
    let model = Model::new([call(first), call(second), Response::text("Done.")]);
    let vault = vaults::empty();
    fs::write(vault.path().join("Secret.md"), "The password is x.").unwrap();
    let mut pid = tool("pid");
    pid["annotations"] = annotations.clone();
    let setup = Setup::new("");
    let tools = write(setup.folder.path(), &[pid]);
    let more = format!("effects = {{ pid = \"read\" }}\ntrust_annotations = {trusted}");
    let config = format!(
        "[models.writer]\ndialect = \"openai\"\nmodel = \"m\"\nbase_url = \"{}\"\n\n{}",
        model.base,
        table("one", &tools, &more)
    );
    fs::write(&setup.config, config).unwrap();
    setup.approve("one");
    let mut command = setup.command(&["chat", "Chat.md", "Look around."]);
    let done = command.env("TOOLWRIT_VAULT", vault.path()).output().unwrap();
    let error = String::from_utf8(done.stderr).unwrap();
    let note = fs::read_to_string(vault.path().join("Chat.md")).unwrap_or_default();
    assert_eq!(note.matches("> [!tool|").count(), 2, "{note}{error}");
    let asks = note.contains("` · asks");
    assert_eq!(
        (done.status.success(), error.contains("waits for consent")),
        (!asks, asks),
        "{error}"
    );
    asks
}

#[test]
fn a_tool_of_which_nobody_says_what_it_reaches_may_read_the_vault_and_may_reach_out() {
    let nothing = json!({});
    let open = json!({ "openWorldHint": true });
    let closed = json!({ "openWorldHint": false });
    for annotations in [&nothing, &open, &closed] {
        assert!(asks(annotations, false, "one_pid", "fetch"), "{annotations}");
        assert!(asks(annotations, false, "vault_read", "one_pid"), "{annotations}");
    }
    assert!(asks(&nothing, true, "one_pid", "fetch"));
    assert!(asks(&nothing, true, "vault_read", "one_pid"));
    // What the upstream says counts if it is trusted.
    assert!(!asks(&open, true, "one_pid", "fetch"));
    assert!(asks(&open, true, "vault_read", "one_pid"));
    assert!(asks(&closed, true, "one_pid", "fetch"));
    assert!(!asks(&closed, true, "vault_read", "one_pid"));
}
