//! Sessions: their owner, their number, and their end.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::{Answer, Home, Server, message};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::lab;
use toolwrit_tests::waiting::until;

const ID: &str = "mcp-session-id";
const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{
    "protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tests","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const TALLY: &str =
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lab_tally"}}"#;

type Headers<'a> = &'a [(&'a str, &'a str)];

fn serve(home: &Home, most: &str) -> Server {
    home.serve(lab(), &["--surface", "flat", "--sessions", most])
}

/// Opens a session and returns its id.
fn open(server: &Server, headers: Headers) -> String {
    let began = server.post("", headers, HELLO);
    assert_eq!(began.status, 200, "{began:?}");
    assert_eq!(last_event(&began)["result"]["serverInfo"]["name"], "lab");
    let id = began.headers[ID].to_str().unwrap().to_owned();
    assert_eq!(server.post("", &within(headers, &id), INITIALIZED).status, 202);
    id
}

fn within<'a>(headers: Headers<'a>, id: &'a str) -> Vec<(&'a str, &'a str)> {
    [headers, &[(ID, id)]].concat()
}

fn last_event(answer: &Answer) -> Value {
    let mut data = answer.body.lines().filter_map(|line| line.strip_prefix("data:"));
    let last = data.rfind(|data| !data.trim().is_empty());
    serde_json::from_str(last.unwrap_or_else(|| panic!("{answer:?}"))).unwrap()
}

/// Listens in a session. Returns the connection and the status.
fn listen(server: &Server, id: &str) -> (Socket, u16) {
    let mut socket = Socket::connect(server);
    socket.write(format!(
        "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n{ID}: {id}\r\n\r\n"
    ));
    let status = socket.status();
    (socket, status)
}

/// Begins a call with the request id 1 in a session.
fn begin(server: &Server, headers: Headers, id: &str, tool: &str, arguments: &Value) -> Socket {
    let mut params = json!({"name": tool, "arguments": arguments});
    params["_meta"]["progressToken"] = "p".into();
    let (body, _) = message(Era::Initialize, "tools/call", params);
    let body = body.to_string();
    let own: Vec<String> =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let mut socket = Socket::connect(server);
    socket.write(format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{ID}: {id}\r\n{}\
         accept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
        own.concat(),
        body.len()
    ));
    socket
}

#[test]
fn calls_work_with_and_without_sessions() {
    let home = Home::new();
    let server = serve(&home, "8");
    let id = open(&server, &[]);
    let answer = server.post("", &within(&[], &id), TALLY);
    assert_eq!(last_event(&answer)["result"]["isError"], false, "{answer:?}");
    let mut waiting = begin(&server, &[], &id, "lab_wait", &json!({"millis": 20, "steps": 3}));
    for step in 1..=3 {
        assert_eq!(waiting.next_event().unwrap()["params"]["progress"].as_f64(), Some(step.into()));
    }
    assert_eq!(waiting.next_event().unwrap()["result"]["content"][0]["text"], "waited");

    // Requests without a session are independent, and so are those of the stateless revision.
    assert_eq!(server.post("", &[], TALLY).json()["result"]["isError"], false);
    let stateless = server.client("").in_era(Era::Stateless).with(ID, "whatever");
    assert_eq!(stateless.call("lab_echo", &json!({"text": "hi"})).ok()["text"], "hi");

    assert_eq!(listen(&server, &id).1, 200);
    let nameless = server.get("/mcp", &[("accept", "text/event-stream")]);
    assert_eq!(nameless.status, 400);
    assert!(nameless.error()["hint"].as_str().unwrap().contains("Mcp-Session-Id"), "{nameless:?}");
    let wrong = server.without_body("PUT", "/mcp", &[]);
    assert_eq!(
        (wrong.status, wrong.headers["allow"].to_str().unwrap()),
        (405, "GET, POST, DELETE")
    );
    assert!(wrong.error()["message"].is_string());
    assert_eq!(server.without_body("DELETE", "/mcp", &[(ID, &id)]).status, 204);
    for answer in [
        server.post("", &[(ID, &id)], TALLY),
        server.get("/mcp", &[(ID, &id), ("accept", "text/event-stream")]),
        server.without_body("DELETE", "/mcp", &[(ID, &id)]),
        server.post("", &[(ID, "")], TALLY),
    ] {
        assert_eq!(answer.status, 404, "{answer:?}");
        assert!(answer.error()["hint"].as_str().unwrap().contains("initialize"));
    }
}

#[test]
fn an_id_of_a_request_in_flight_is_refused() {
    let home = Home::new();
    let server = serve(&home, "8");
    let id = open(&server, &[]);
    let mut waiting = begin(&server, &[], &id, "lab_wait", &json!({"millis": 8000, "steps": 100}));
    assert_eq!(waiting.next_event().unwrap()["method"], "notifications/progress");
    let again = TALLY.replace(r#""id":2"#, r#""id":1"#);
    let refused = server.post("", &within(&[], &id), &again);
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_eq!((&refused.json()["id"], &refused.error()["code"]), (&json!(1), &json!(-32600)));
    // Another id, or the same in another session, is free.
    let other = open(&server, &[]);
    for (id, body) in [(&id, TALLY), (&other, &*again)] {
        let answer = server.post("", &within(&[], id), body);
        assert_eq!(last_event(&answer)["result"]["isError"], false, "{answer:?}");
    }
    let last = std::iter::from_fn(|| waiting.next_event()).last().unwrap();
    assert_eq!(last["result"]["content"][0]["text"], "waited", "{last}");
    let answer = server.post("", &within(&[], &id), &again);
    assert_eq!(last_event(&answer)["result"]["isError"], false, "{answer:?}");
}

#[test]
fn an_invalid_initialize_opens_no_session() {
    let home = Home::new();
    let (with, without) = (serve(&home, "8"), serve(&home, "0"));
    for (from, to) in [
        (r#""capabilities":{},"#, ""),
        (r#""2025-11-25""#, "5"),
        (r#""clientInfo":{"name":"tests","version":"1"}"#, r#""clientInfo":{}"#),
    ] {
        let refused = with.post("", &[], HELLO.replace(from, to));
        assert!(!refused.headers.contains_key(ID), "{refused:?}");
        assert_eq!(refused.error()["code"], -32602, "{refused:?}");
        assert_eq!(refused.json(), without.post("", &[], HELLO.replace(from, to)).json());
    }
    let empty = with.post("", &[], r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    assert!(empty.error()["message"].as_str().unwrap().contains("`protocolVersion`"), "{empty:?}");
}

#[test]
fn a_session_belongs_to_its_account_and_path() {
    let home = Home::new();
    let tokens = ["a", "b"].map(|name| {
        let new = ["token", "new", "--role", "owner", "--name", name];
        let made = home.command(lab(), &new).output().unwrap();
        format!("Bearer {}", String::from_utf8(made.stdout).unwrap().trim())
    });
    let server = serve(&home, "8");
    let [own, other] = [[("authorization", tokens[0].as_str())], [("authorization", &tokens[1])]];
    let id = open(&server, &own);
    let narrowed = [own[0], ("toolwrit-role", "owner")];
    for (path, headers) in [("", &other[..]), ("/flat", &own), ("", &narrowed)] {
        let headers = within(headers, &id);
        let url = format!("/mcp{path}");
        let listening = [&headers[..], &[("accept", "text/event-stream")]].concat();
        for answer in [
            server.post(path, &headers, TALLY),
            server.post(path, &headers, HELLO),
            server.post(path, &headers, INITIALIZED),
            server.get(&url, &listening),
            server.without_body("DELETE", &url, &headers),
        ] {
            assert_eq!(answer.status, 404, "{path} {answer:?}");
        }
    }
    assert_eq!(server.post("", &[(ID, &id)], TALLY).status, 401);
    // None of these requests has ended the session.
    let answer = server.post("", &within(&own, &id), TALLY);
    assert_eq!(last_event(&answer)["result"]["isError"], false);
}

#[test]
fn a_call_is_not_answered_once_its_token_is_revoked() {
    let home = Home::new();
    let new = ["token", "new", "--role", "owner", "--name", "laptop"];
    let made = home.command(lab(), &new).output().unwrap();
    let token = format!("Bearer {}", String::from_utf8(made.stdout).unwrap().trim());
    let server = serve(&home, "8");
    let own = [("authorization", token.as_str())];
    let id = open(&server, &own);
    let wait = json!({"millis": 10_000, "steps": 100});
    let mut waiting = begin(&server, &own, &id, "lab_wait", &wait);
    assert_eq!(waiting.next_event().unwrap()["method"], "notifications/progress");
    assert!(home.command(lab(), &["token", "revoke", "laptop"]).status().unwrap().success());
    let rest: Vec<Value> = std::iter::from_fn(|| waiting.next_event()).collect();
    assert!(rest.iter().all(|event| event["method"] == "notifications/progress"), "{rest:?}");
}

#[test]
fn a_new_session_is_refused_while_all_are_in_use() {
    let home = Home::new();
    let server = serve(&home, "2");
    let ids = [open(&server, &[]), open(&server, &[])];
    let [first, _second] = ids.each_ref().map(|id| listen(&server, id).0);
    let refused = server.post("", &[], HELLO);
    assert_eq!(refused.status, 429, "{refused:?}");
    assert!(refused.headers.contains_key("retry-after"));
    drop(first);
    // Repeat until the server notices.
    until("a free place", || server.post("", &[], HELLO).status != 429);
    let tally = |id: &str| server.post("", &[(ID, id)], TALLY).status;
    assert_eq!(ids.each_ref().map(|id| tally(id)), [404, 200]);
}

#[cfg(target_os = "linux")]
#[test]
fn many_initializations_use_bounded_memory() {
    let home = Home::new();
    let server = serve(&home, "8");
    let resident = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id()));
        let status = status.unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    };
    let first = open(&server, &[]);
    for _ in 0..100 {
        open(&server, &[]);
    }
    let before = resident();
    for _ in 0..1000 {
        assert_eq!(server.post("", &[], HELLO).status, 200);
    }
    let grown = resident().saturating_sub(before);
    // A session that is kept takes more than 15 KiB.
    assert!(grown < 6 * 1024, "{grown} KiB more");
    assert_eq!(server.post("", &[(ID, &first)], TALLY).status, 404);
}

#[cfg(unix)]
mod drain {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use serde_json::json;

    use super::{ID, INITIALIZED, Server, TALLY, begin, listen, open, serve};
    use toolwrit_tests::drivers::http::Home;
    use toolwrit_tests::drivers::socket::Socket;
    use toolwrit_tests::program::lab;
    use toolwrit_tests::waiting::until;

    fn stop(server: &Server) {
        let pid = i32::try_from(server.child.id()).unwrap();
        kill(Pid::from_raw(pid), Signal::SIGTERM).unwrap();
    }

    #[test]
    fn calls_in_sessions_are_answered_and_may_ask_their_clients() {
        let home = Home::new();
        let mut server = serve(&home, "8");
        let id = open(&server, &[]);
        let mut listening = listen(&server, &id).0;
        let mut working =
            begin(&server, &[], &id, "lab_wait", &json!({"millis": 8000, "steps": 100}));
        assert_eq!(working.next_event().unwrap()["method"], "notifications/progress");
        // Connected before, because a stopping server accepts no connections.
        let [mut telling, mut asking, mut watcher] = [(); 3].map(|()| Socket::connect(&server));
        assert_eq!(watcher.get("/readyz"), 200);
        stop(&server);
        until("the stop", || watcher.get("/readyz") != 200);
        let post = |socket: &mut Socket, body: &str| {
            socket.write(format!(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 accept: application/json, text/event-stream\r\n{ID}: {id}\r\n\
                 content-length: {}\r\n\r\n{body}",
                body.len()
            ));
            socket.status()
        };
        assert_eq!(post(&mut telling, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#), 202);
        assert_eq!(post(&mut telling, INITIALIZED), 202);
        assert_eq!(post(&mut asking, TALLY), 503);
        while listening.next_event().is_some() {}
        let last = std::iter::from_fn(|| working.next_event()).last().unwrap();
        assert_eq!(last["result"]["content"][0]["text"], "waited", "{last}");
        assert_eq!(server.wait(), Some(0));
    }

    #[test]
    fn a_call_of_a_disconnected_client_runs_to_its_end() {
        let home = Home::new();
        let flags = ["serve", "--http", "127.0.0.1:0", "--surface", "flat", "--sessions", "8"];
        let mut command = home.command(lab(), &flags);
        command.env("TOOLWRIT_LOG", "info");
        let mut server = Server::start(command);
        let id = open(&server, &[]);
        let mut working = begin(&server, &[], &id, "lab_wait", &json!({"millis": 500, "steps": 5}));
        assert_eq!(working.next_event().unwrap()["method"], "notifications/progress");
        drop(working);
        stop(&server);
        assert_eq!(server.wait(), Some(0));
        let said = server.end();
        let audit = said.lines().find(|line| line.contains("toolwrit::audit")).unwrap();
        for part in ["operation=\"lab.wait\"", "client=\"tests\"", "outcome=ok"] {
            assert!(audit.contains(part), "{audit}");
        }
    }
}
