//! Access tokens of an authorization server.

mod hostile;
mod published;
mod scopes;
mod setup;
mod tokens;

use toolwrit_tests::drivers::http::{Answer, Server};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// Sends a request with this token.
fn ping(server: &Server, token: &str) -> Answer {
    server.post("", &[("authorization", &format!("Bearer {token}"))], PING)
}

fn challenge(answer: &Answer) -> &str {
    answer.headers["www-authenticate"].to_str().unwrap()
}
