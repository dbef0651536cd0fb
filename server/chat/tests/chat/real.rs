//! A real model, if there is one: `OLLAMA_URL` is where it is and `OLLAMA_MODEL` its name. `SKIP_REAL_E2E` skips the test.

use toolwrit_chat::conversation::{Ended, TurnOptions};
use toolwrit_chat::provider::{Dialect, RemoteModel, RemoteModelOptions};

use crate::desk::Desk;

#[tokio::test]
async fn a_real_model_converses() {
    let setting = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (Some(url), Some(model), None) =
        (setting("OLLAMA_URL"), setting("OLLAMA_MODEL"), setting("SKIP_REAL_E2E"))
    else {
        eprintln!(
            "!!! SKIPPED: no real model. Set OLLAMA_URL and OLLAMA_MODEL, and unset SKIP_REAL_E2E."
        );
        return;
    };
    let options = RemoteModelOptions {
        name: "real".to_owned(),
        dialect: Dialect::Ollama,
        model,
        base_url: Some(url),
        key: None,
        max_tokens: None,
        thinks: false,
        price: None,
    };
    let desk = Desk::with(
        "Read the note at the path Audit.md with a tool, and tell me in one sentence what it says.\n",
    );
    desk.tools.answer("vault.read", serde_json::json!("The audit is due in May."));
    let mut conversation =
        desk.conversation(std::sync::Arc::new(RemoteModel::new(options).unwrap()));
    let ended = conversation.turn(TurnOptions::default()).await.unwrap();
    let text = desk.text();
    assert!(matches!(ended, Ended::Answered | Ended::Limited(_)), "{ended:?}: {text}");
    assert!(desk.tools.made().iter().any(|call| call.starts_with("vault.read")), "{text}");
}
