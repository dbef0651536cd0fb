//! Open streams: their number for one account, and their end with the credential.

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::{Home, Server, message};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::memory::resident;
use toolwrit_tests::waiting::until;

/// More than one account may have, and fewer than all connections.
const MANY: usize = 300;
const TOUCH: &str = "test_touch_watched_resource";

/// A server with a resource that notifies of changes.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_conformance-server"))
}

fn authorization(token: Option<&str>) -> String {
    token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default()
}

/// Sends a request on a new connection.
fn post(server: &Server, era: Era, token: Option<&str>, method: &str, params: Value) -> Socket {
    let (body, headers) = message(era, method, params);
    let body = body.to_string();
    let own: Vec<String> =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let own = own.concat();
    let mut socket = Socket::connect(server);
    socket.write(format!(
        "POST /mcp/flat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{own}{}content-length: {}\r\n\r\n{body}",
        authorization(token),
        body.len()
    ));
    socket
}

/// Listens to the resource. Returns the connection and the status.
fn listen(server: &Server, token: Option<&str>) -> (Socket, u16) {
    let wish = json!({"notifications": {"resourceSubscriptions": ["test://watched-resource"]}});
    let mut socket = post(server, Era::Stateless, token, "subscriptions/listen", wish);
    let status = socket.status();
    if status == 200 {
        let begun = socket.next_event().unwrap();
        assert_eq!(begun["method"], "notifications/subscriptions/acknowledged", "{begun}");
    }
    (socket, status)
}

fn is_notified(socket: &mut Socket) -> bool {
    socket.next_event().is_some_and(|news| news["method"] == "notifications/resources/updated")
}

fn token(home: &Home, name: &str) -> String {
    let made = ["token", "new", "--role", "owner", "--name", name];
    let made = home.command(program(), &made).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

fn revoke(home: &Home, name: &str) {
    let revoked = home.command(program(), &["token", "revoke", name]).output().unwrap();
    assert!(revoked.status.success(), "{revoked:?}");
}

#[test]
fn a_stream_ends_with_its_token() {
    let home = Home::new();
    let [leaving, staying] = ["leaving", "staying"].map(|name| token(&home, name));
    let server = home.serve(program(), &[]);
    let [(mut gone, _), (mut stays, _)] =
        [&leaving, &staying].map(|own| listen(&server, Some(own)));
    let client = server.client("/flat").bearing(&staying);
    client.call(TOUCH, &json!({}));
    assert!(is_notified(&mut gone) && is_notified(&mut stays));
    revoke(&home, "leaving");
    // The stream gets no later notifications.
    client.call(TOUCH, &json!({}));
    assert!(!is_notified(&mut gone));
    assert!(is_notified(&mut stays));
}

#[test]
fn an_idle_stream_ends_with_its_token() {
    let home = Home::new();
    let own = token(&home, "laptop");
    let server = home.serve(program(), &["--sessions", "4"]);
    let (mut stateless, _) = listen(&server, Some(&own));
    let id = open_session(&server, Some(&own), "tests");
    let mut in_session = listen_in(&server, Some(&own), &id);
    revoke(&home, "laptop");
    assert_eq!(stateless.next_event(), None);
    assert_eq!(in_session.next_event(), None);
}

#[test]
fn an_anonymous_stream_ends_when_a_token_becomes_required() {
    let home = Home::new();
    let server = home.serve(program(), &[]);
    let (mut stream, _) = listen(&server, None);
    token(&home, "laptop");
    assert_eq!(stream.next_event(), None);
}

#[test]
fn streams_of_one_account_are_limited() {
    let home = Home::new();
    let [greedy, other] = ["greedy", "other"].map(|name| token(&home, name));
    let server = home.serve(program(), &[]);
    let streams: Vec<(Socket, u16)> = (0..MANY).map(|_| listen(&server, Some(&greedy))).collect();
    let good = streams.iter().take_while(|(_, status)| *status == 200).count();
    assert_eq!(good, 256);
    assert!(streams[good..].iter().all(|(_, status)| *status == 429));
    assert_eq!(listen(&server, Some(&other)).1, 200);
    // Requests are still answered, and an account that closes a stream may open another.
    server.client("/flat").bearing(&greedy).call(TOUCH, &json!({}));
    drop(streams);
    until("a free place", || listen(&server, Some(&greedy)).1 == 200);
}

#[test]
fn a_stopping_server_ends_its_streams() {
    let home = Home::new();
    let server = home.serve(program(), &[]);
    let (mut stream, status) = listen(&server, None);
    assert_eq!(status, 200);
    let said = server.stop();
    assert!(!said.contains("still in flight"), "{said}");
    assert_eq!(stream.next_event(), None);
}

fn open_session(server: &Server, token: Option<&str>, name: &str) -> String {
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": name, "version": "1"},
    });
    let mut socket = post(server, Era::Initialize, token, "initialize", hello);
    let answer = socket.answer().unwrap();
    let id = answer.header("mcp-session-id").unwrap_or_else(|| panic!("{answer:?}"));
    let told = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(in_session(server, token, id, "POST", told), 202);
    id.to_owned()
}

fn in_session(server: &Server, token: Option<&str>, id: &str, method: &str, body: &str) -> u16 {
    let mut socket = Socket::connect(server);
    socket.write(format!(
        "{method} /mcp/flat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-session-id: {id}\r\n{}\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        authorization(token),
        body.len()
    ));
    socket.answer().unwrap().status
}

fn listen_in(server: &Server, token: Option<&str>, id: &str) -> Socket {
    let mut socket = Socket::connect(server);
    socket.write(format!(
        "GET /mcp/flat HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\
         mcp-session-id: {id}\r\n{}\r\n",
        authorization(token)
    ));
    assert_eq!(socket.status(), 200);
    socket
}

/// The subscriptions of a session end with it, even if no resource ever changes.
#[test]
fn ended_sessions_use_no_memory() {
    let home = Home::new();
    let server = home.serve(program(), &["--sessions", "4"]);
    // The session stores the name of its client.
    let name = "x".repeat(200_000);
    let subscribe = r#"{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://watched-resource"}}"#;
    let come_and_go = |times: usize| {
        for _ in 0..times {
            let id = open_session(&server, None, &name);
            assert_eq!(in_session(&server, None, &id, "POST", subscribe), 200);
            assert_eq!(in_session(&server, None, &id, "DELETE", ""), 204);
        }
        resident(server.child.id())
    };
    let before = come_and_go(50);
    let after = come_and_go(200);
    println!("{before:?} bytes became {after:?}");
    let grown = after.zip(before).map(|(after, before)| after.saturating_sub(before));
    assert!(grown.is_none_or(|grown| grown < 20 * 1024 * 1024), "{grown:?}");
}
