//! Requests without a valid credential: the operator sees them, and they cannot flood the log.

use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn refused_credentials_are_counted_and_some_are_logged() {
    let home = Home::new();
    let token = home.token(lab(), "owner");
    let server = Server::start(home.command(lab(), &["serve", "--http", "127.0.0.1:0"]));
    for _ in 0..200 {
        assert_eq!(server.post("", &[("authorization", "Bearer twt_0")], PING).status, 401);
    }
    for _ in 0..3 {
        assert_eq!(server.post("", &[], PING).status, 401);
    }
    let good = format!("Bearer {token}");
    let metrics = server.get("/metrics", &[("authorization", &good)]).body;
    for line in [
        r#"toolwrit_unidentified_total{reason="invalid"} 200"#,
        r#"toolwrit_unidentified_total{reason="missing"} 3"#,
    ] {
        assert!(metrics.lines().any(|own| own == line), "{line}: {metrics}");
    }
    let said = server.stop();
    let lines = said.lines().filter(|line| line.contains("without a valid credential"));
    let lines: Vec<&str> = lines.collect();
    assert!(lines[0].contains("invalid"), "{said}");
    // One at once, and then one every ten seconds.
    assert!(lines.len() < 100, "{said}");
}
