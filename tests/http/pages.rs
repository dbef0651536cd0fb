//! CORS headers for pages of other origins.

use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::lab;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const PAGE: &str = "https://app.example";

#[test]
fn preflights_of_allowed_origins_need_no_token() {
    let home = Home::new();
    let token = home.token(lab(), "owner");
    let server = home.serve(lab(), &["--allowed-origin", PAGE]);
    let asked = server.without_body(
        "OPTIONS",
        "/mcp/flat",
        &[
            ("origin", PAGE),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "authorization,mcp-session-id"),
        ],
    );
    assert_eq!(asked.status, 200, "{asked:?}");
    let told = |name: &str| asked.headers[name].to_str().unwrap();
    assert_eq!(told("access-control-allow-origin"), PAGE);
    assert_eq!(told("access-control-allow-methods"), "GET,POST,DELETE");
    assert_eq!(told("access-control-allow-headers"), "authorization,mcp-session-id");
    assert!(asked.headers.get("access-control-allow-credentials").is_none());

    let bearer = format!("Bearer {token}");
    for (headers, status) in [
        (vec![("origin", PAGE)], 401),
        (vec![("origin", PAGE), ("authorization", bearer.as_str())], 200),
    ] {
        let answer = server.post("", &headers, PING);
        assert_eq!(answer.status, status);
        assert_eq!(answer.headers["access-control-allow-origin"].to_str().unwrap(), PAGE);
        let readable = answer.headers["access-control-expose-headers"].to_str().unwrap();
        assert_eq!(readable, "mcp-session-id,www-authenticate,retry-after");
    }
}

#[test]
fn preflights_of_other_origins_get_no_headers() {
    let home = Home::new();
    let server = home.serve(lab(), &["--allowed-origin", PAGE]);
    let evil = ("origin", "https://evil.example");
    for answer in [
        server.without_body("OPTIONS", "/mcp", &[evil, ("access-control-request-method", "POST")]),
        server.post("", &[evil], PING),
    ] {
        assert_eq!(answer.status, 403, "{answer:?}");
        assert!(answer.headers.get("access-control-allow-origin").is_none());
    }
}
