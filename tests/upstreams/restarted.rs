//! Servers of the official SDKs over HTTP that are started again while a gateway has sessions with them: server-everything,
//! which answers 400 to a session that it does not know, and one of the Python SDK. `tests/upstreams/install` installs them.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::waiting::until;

use crate::upstreams::Setup;

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A free port of this machine. The server takes it at each of its starts.
fn port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn start(command: &mut Command, port: u16) -> Running {
    let running = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    until("the server", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    running
}

#[test]
fn a_server_that_was_started_again_answers_the_next_call() {
    let installed = workspace().join("target/ci/upstreams");
    let everything = installed.join("node_modules/.bin/mcp-server-everything");
    let python = installed.join(".venv/bin/python");
    if !met(&[Need::File(&everything), Need::File(&python)], "tests/upstreams/install") {
        return;
    }
    let ports = [port(), port()];
    let mut commands = [Command::new(&everything), Command::new(&python)];
    commands[0].arg("streamableHttp").env("PORT", ports[0].to_string());
    commands[1].arg(workspace().join("tests/upstreams/asking.py")).arg(ports[1].to_string());
    let calls = [
        ("everything.echo", json!({ "message": "hello" }), "hello"),
        ("asking.count", json!({}), "three"),
    ];
    let mut servers: Vec<Running> =
        commands.iter_mut().zip(ports).map(|(command, port)| start(command, port)).collect();
    let upstream = |name: &str, tool: &str, port: u16| {
        format!(
            "[upstreams.{name}]\nurl = \"http://127.0.0.1:{port}/mcp\"\nnetworks = [\"127.0.0.0/8\"]\n\
             effects = {{ {tool} = \"read\" }}\ntimeout = \"10m\"\n\n"
        )
    };
    let setup = Setup::new("");
    let tables = upstream("everything", "echo", ports[0]) + &upstream("asking", "count", ports[1]);
    fs::write(&setup.config, tables).unwrap();
    setup.approve("everything");
    setup.approve("asking");
    let mut host = setup.serve("flat", Era::Initialize);
    let mut all_answer = || {
        for (tool, arguments, said) in &calls {
            let answer = host.read(tool, arguments);
            assert!(!answer.is_error() && answer.text().contains(said), "{tool}: {}", answer.0);
        }
    };
    all_answer();
    servers.clear();
    servers.extend(commands.iter_mut().zip(ports).map(|(command, port)| start(command, port)));
    all_answer();
}
