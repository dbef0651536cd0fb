//! A server that others use. `tests/upstreams/install` installs it.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwrit_requirement::{Need, met};
use toolwrit_upstreams::model::{Command, Definition, Endpoint, Remote, Timing};
use toolwrit_upstreams::{Lock, Progress, Supervisor};

use crate::{Calling, definition, ready, text, text_of, within};

/// The server, if it is installed.
fn everything() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let found = root.join("target/ci/upstreams/node_modules/.bin/mcp-server-everything");
    met(&[Need::File(&found)], "tests/upstreams/install").then_some(found)
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_is_called_pinned_and_stopped() {
    let Some(program) = everything() else { return };
    let command = Command::new(program.to_str().unwrap(), ["stdio"]);
    let upstream = Supervisor::default().supervise(definition(command));
    ready(&upstream).await;
    let answer = Calling::new("echo").with("message", "hello").on(&upstream).await.unwrap();
    assert_eq!(text(&answer), "Echo: hello");
    let answer =
        Calling::new("get-structured-content").with("location", "Chicago").on(&upstream).await;
    assert!(answer.unwrap().structured.unwrap()["temperature"].is_number());
    let image = Calling::new("get-tiny-image").on(&upstream).await.unwrap();
    assert!(image.content.iter().any(|block| block["type"] == "image"));

    let seen: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let sink = seen.clone();
    let mut calling =
        Calling::new("trigger-long-running-operation").with("duration", 0.5).with("steps", 5);
    calling.progress = Some(Arc::new(move |progress| sink.lock().unwrap().push(progress)));
    calling.on(&upstream).await.unwrap();
    assert!(seen.lock().unwrap().len() >= 3, "{seen:?}");

    let status = upstream.status();
    let lock = Lock::new(status.server.unwrap(), &upstream.tools().unwrap());
    let lock = Lock::parse(&lock.write().unwrap()).unwrap();
    upstream.pin(Arc::new(lock));
    assert!(upstream.verdict().unwrap().is_clean(), "{:?}", upstream.verdict());
    let sum = Calling::new("get-sum").with("a", 1).with("b", 2).on(&upstream).await.unwrap();
    assert!(text(&sum).contains('3'), "{sum:?}");
    let environment = text_of("get-env", &upstream).await;
    let environment: serde_json::Value = serde_json::from_str(&environment).unwrap();
    let names: Vec<&String> = environment.as_object().unwrap().keys().collect();
    // The shell that starts it adds some of its own.
    let known = ["HOME", "LANG", "PATH", "PWD", "OLDPWD", "SHLVL", "_"];
    assert!(names.iter().all(|name| known.contains(&name.as_str())), "{}", json!(names));
    within(upstream.stop()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_is_called_over_both_kinds_of_http() {
    let Some(program) = everything() else { return };
    for (kind, path) in [("sse", "sse"), ("streamableHttp", "mcp")] {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Server::start(&program, kind, port);
        let remote = Remote::new(format!("http://127.0.0.1:{port}/{path}"));
        let remote = remote.within("127.0.0.1".parse().unwrap());
        // It is tried until Node listens.
        let timing = Timing { failures: u32::MAX, ..definition(Command::new("", [""])).timing };
        let endpoint = Endpoint::Remote(remote);
        let definition = Definition { timing, ..Definition::new("everything", endpoint) };
        let upstream = Supervisor::default().supervise(definition);
        ready(&upstream).await;
        for number in 0..3 {
            let calling = Calling::new("get-sum").with("a", number).with("b", 2);
            let sum = calling.on(&upstream).await.unwrap();
            assert!(text(&sum).contains(&(number + 2).to_string()), "{kind}: {sum:?}");
        }
        within(upstream.stop()).await;
        drop(server);
    }
}

/// The server over HTTP. It is killed when dropped.
struct Server(std::process::Child);

impl Server {
    fn start(program: &Path, kind: &str, port: u16) -> Self {
        let mut command = std::process::Command::new(program);
        command.arg(kind).env("PORT", port.to_string());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
