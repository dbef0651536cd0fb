//! The client that fetches the tools which a message needs, from our own server and from a foreign one,
//! over standard streams and HTTP.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolwrit::client::{Client, ClientError, ClientOptions, Era, Fetched, ToolRule};
use toolwrit::{ContextRule, Previous};
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::lab;
use toolwrit_tests::waiting::until;

const ERAS: [Era; 3] = [Era::Any, Era::Initialize, Era::Stateless];

fn options(era: Era) -> ClientOptions {
    ClientOptions { era, ..ClientOptions::default() }
}

/// A program's rules for the echo of the laboratory on the flat surface, and for the echo on bare rmcp.
fn echo_rules() -> Vec<ToolRule> {
    let echoes = ContextRule::new("echoes").keyword("echo", 1.0).unwrap();
    let changes = ContextRule::new("changes").keyword("touch", 1.0).unwrap();
    vec![
        ToolRule::new(echoes.pattern(r"\bE-\d+\b", 1.0).unwrap(), ["lab_echo"]),
        ToolRule::new(changes, ["lab_to*", "lab_hast*"]),
    ]
}

fn laboratory(home: &Home, surface: &str) -> Command {
    let mut command = home.command(lab(), &["serve", "--surface", surface]);
    command.stderr(Stdio::null());
    command
}

fn names(fetched: &Fetched) -> Vec<&str> {
    fetched.tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn contexts(fetched: &Fetched) -> Vec<&str> {
    fetched.contexts.iter().map(|context| context.name.as_str()).collect()
}

async fn fetch(client: &Client, message: &str) -> Fetched {
    client.tools_for(message, &Previous::default()).await.unwrap()
}

/// Checks the results for the meta surface of the laboratory, over any transport.
async fn ask_for_contexts(client: &Client) {
    let found = fetch(client, "say the echo chamber again").await;
    assert_eq!(contexts(&found), ["echoes", "changes"]);
    assert_eq!(names(&found), ["lab.echo", "lab.hasty", "lab.touch"]);
    assert!(found.tools[0].listing.as_str().unwrap().contains("# Say it again."), "{found:?}");

    // The server is asked again for another message, but not for the same one.
    let none = fetch(client, "what a lovely sunset").await;
    assert_eq!(none, Fetched::default());
    let before = client.usage();
    assert_eq!((before.requests, before.hits), (2, 0));
    assert_eq!(fetch(client, "say the echo chamber again").await, found);
    let after = client.usage();
    assert_eq!((after.requests, after.hits), (3, 1));
    assert_eq!(after.full_tokens, before.full_tokens / 2 * 3);
    // An empty list is one token, and the other answer was fetched twice.
    assert_eq!(after.sent_tokens - before.sent_tokens, before.sent_tokens - 1);

    // The earlier contexts are passed on.
    let touched = fetch(client, "touch, an echo chamber").await;
    let previous: Previous = touched.contexts.iter().collect();
    let next = client.tools_for("and that", &previous).await.unwrap();
    assert_eq!(contexts(&next), ["changes"]);
    assert_eq!(names(&next), ["lab.hasty", "lab.touch"]);

    // Its operations run through its execute tools.
    let arguments = json!({"tool": "lab.echo", "args": {"text": "hello"}});
    let result = client.call("execute_read", object(arguments)).await.unwrap();
    assert!(result["content"][0]["text"].as_str().unwrap().contains("hello"), "{result}");
    client.reset_usage();
    assert_eq!(client.usage().requests, 0);
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

#[tokio::test]
async fn a_meta_server_selects_the_tools_for_a_message() {
    let home = Home::new();
    for era in ERAS {
        let client = Client::spawn(laboratory(&home, "meta"), options(era)).await.unwrap();
        ask_for_contexts(&client).await;
        client.close().await;
    }
    for sessions in ["0", "4"] {
        let server = home.serve(lab(), &["--surface", "meta", "--sessions", sessions]);
        for era in ERAS {
            let client = Client::http(&server.url, None, options(era)).await.unwrap();
            ask_for_contexts(&client).await;
            client.close().await;
        }
    }
}

#[tokio::test]
async fn a_whole_list_equals_the_servers_list_and_its_cost() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    let client = Client::http(&server.url, None, options(Era::Any)).await.unwrap();
    let tools = client.tools().await.unwrap();
    let listings: Value = tools.iter().map(|tool| tool.listing.clone()).collect();
    let listed = server.client("/flat").request("tools/list", json!({})).result();
    assert_eq!(listings, listed["tools"]);
    let usage = client.usage();
    assert_eq!((usage.requests, usage.full_tokens), (1, usage.sent_tokens));
    let measured = home.command(lab(), &["tokens", "--json"]).output().unwrap();
    let measured: Value = serde_json::from_slice(&measured.stdout).unwrap();
    assert_eq!(measured["surfaces"][0]["surface"], "flat");
    assert_eq!(measured["surfaces"][0]["tokens"], usage.full_tokens);
    assert!(usage.reduction_percent().abs() < 1e-9, "{usage:?}");
    client.close().await;
}

/// Checks the results for a server with the tool `lab_echo` that does not select tools itself.
async fn choose_by_rules(client: &Client) {
    let found = fetch(client, "an echo of E-12").await;
    assert_eq!(contexts(&found), ["echoes"]);
    assert_eq!(found.contexts[0].matched, ["echo", "E-12"]);
    assert_eq!(names(&found), ["lab_echo"]);
    assert_eq!(found.tools[0].listing["inputSchema"]["required"], json!(["text"]));
    assert_eq!(fetch(client, "what a lovely sunset").await, Fetched::default());
    let result = client.call("lab_echo", object(json!({"text": "hello"}))).await.unwrap();
    assert_eq!(result["structuredContent"]["text"], "hello", "{result}");
}

#[tokio::test]
async fn rules_select_tools_from_any_list() {
    let home = Home::new();
    let client = Client::spawn(
        laboratory(&home, "flat"),
        ClientOptions { rules: echo_rules(), ttl: Duration::ZERO, ..ClientOptions::default() },
    );
    let client = client.await.unwrap();
    choose_by_rules(&client).await;
    let usage = client.usage();
    // The server's TTL beats the program's.
    assert_eq!((usage.requests, usage.hits), (2, 1));
    assert!(usage.reduction_percent() > 80.0, "{usage:?}");
    let both = fetch(&client, "touch the echo").await;
    assert_eq!(names(&both), ["lab_echo", "lab_hasty", "lab_touch", "lab_toil"]);
    client.close().await;
}

/// The echo on bare rmcp, a foreign server.
fn bare(port: Option<u16>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bare"));
    command.args(port.map(|port| port.to_string())).stderr(Stdio::null());
    command
}

/// Serves over HTTP until it is dropped.
struct Listening {
    child: Child,
    address: String,
}

impl Listening {
    fn start() -> Self {
        // Bound and released, so that the port is free.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = bare(Some(port)).stdin(Stdio::null()).spawn().unwrap();
        let mut own = Self { child, address: format!("http://127.0.0.1:{port}/mcp") };
        until("the server to listen", || {
            assert_eq!(own.child.try_wait().unwrap(), None, "the server has ended");
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        own
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn rules_select_tools_of_foreign_servers() {
    let listening = Listening::start();
    for era in ERAS {
        let options = || ClientOptions { rules: echo_rules(), ..options(era) };
        let spawned = Client::spawn(bare(None), options()).await.unwrap();
        let connected = Client::http(&listening.address, None, options()).await.unwrap();
        for client in [spawned, connected] {
            choose_by_rules(&client).await;
            assert_eq!(client.usage().requests, 2, "{era:?}");
            client.close().await;
        }
    }
}

#[tokio::test]
async fn without_ttl_of_the_server_the_programs_ttl_applies() {
    for (ttl, hits) in [(Duration::from_hours(1), 2), (Duration::ZERO, 0)] {
        let options = ClientOptions { rules: echo_rules(), ttl, ..options(Era::Initialize) };
        let client = Client::spawn(bare(None), options).await.unwrap();
        for _ in 0..3 {
            assert_eq!(client.tools().await.unwrap().len(), 1);
        }
        assert_eq!(client.usage().hits, hits, "{ttl:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn a_list_has_all_pages_and_is_fetched_again_after_list_changed() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_growing"));
    command.stderr(Stdio::null());
    let client = Client::spawn(command, options(Era::Initialize)).await.unwrap();
    let names = async || {
        let tools = client.tools().await.unwrap();
        tools.into_iter().map(|tool| tool.name).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["grow", "leaf_1", "leaf_2"]);
    assert_eq!(names().await.len(), 3);
    assert_eq!(client.usage().hits, 1);
    // The notification was sent before the answer.
    client.call("grow", Map::new()).await.unwrap();
    assert_eq!(names().await, ["grow", "leaf_1", "leaf_2", "leaf_3"]);
    client.close().await;
}

#[tokio::test]
async fn a_client_with_a_token_can_use_a_protected_server() {
    let home = Home::new();
    let token = home.token(lab(), "onlooker");
    let server = home.serve(lab(), &["--surface", "meta"]);
    for wrong in [None, Some("twt_wrong")] {
        let refused = Client::http(&server.url, wrong, options(Era::Any)).await.unwrap_err();
        assert!(matches!(refused, ClientError::Connect(_)), "{refused:?}");
    }
    let client = Client::http(&server.url, Some(&token), options(Era::Any)).await.unwrap();
    let found = fetch(&client, "touch the echo").await;
    assert_eq!(names(&found), ["lab.echo"], "what the account may use");
    client.close().await;
}

#[tokio::test]
async fn connecting_to_something_else_is_an_error() {
    let missing = Client::spawn(Command::new("/nowhere/server"), options(Era::Any)).await;
    assert!(matches!(missing, Err(ClientError::Start(_))), "{missing:?}");
    let silent = ClientOptions { patience: Duration::from_millis(200), ..options(Era::Any) };
    let sleeping = {
        let mut command = Command::new("sleep");
        command.arg("60");
        Client::spawn(command, silent).await
    };
    assert!(matches!(sleeping, Err(ClientError::Timeout(_))), "{sleeping:?}");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("http://127.0.0.1:{port}/mcp");
    let nobody = Client::http(&address, None, options(Era::Any)).await;
    assert!(matches!(nobody, Err(ClientError::Connect(_))), "{nobody:?}");
    let wrong = Path::new("/bin/echo");
    let chatty = Client::spawn(Command::new(wrong), options(Era::Initialize)).await;
    assert!(matches!(chatty, Err(ClientError::Connect(_))), "{chatty:?}");
}

#[tokio::test]
async fn calling_an_unknown_tool_returns_the_servers_error() {
    let home = Home::new();
    let client = Client::spawn(laboratory(&home, "flat"), options(Era::Any)).await.unwrap();
    let answer = client.call("lab_ehco", Map::new()).await;
    let said = answer.map_or_else(|error| error.to_string(), |result| result.to_string());
    assert!(said.contains("lab_ehco"), "{said}");
    client.close().await;
}
