//! Servers of the first version of MCP, whose messages come as events of one stream.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, response, unframed_response};
use toolwrit_test_servers::mcp::answers;
use toolwrit_upstreams::Code;
use toolwrit_upstreams::State::{Disabled, Ready};

use crate::remotes::{answer_usual, local, region, supervise, until};
use crate::{Calling, text_of, within};

/// A server of this kind.
struct Older {
    server: HttpServer,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// How many streams were opened.
    opened: AtomicUsize,
    /// What the open stream gets.
    events: Mutex<Option<Sender<String>>>,
}

impl Older {
    /// Starts it. The first event of a stream has this data.
    fn serve(endpoint: &'static str) -> Self {
        let state = Arc::new(State::default());
        let shared = state.clone();
        let server = HttpServer::scripted(move |request, connection| match &*request.line() {
            "GET /sse" => drop(shared.stream(endpoint, connection)),
            "POST /messages?session=7" => {
                shared.receive(request);
                let _ = connection.write_all(&response(202, &CLOSE, "Accepted"));
            }
            _ => drop(connection.write_all(&response(404, &CLOSE, "Cannot POST /sse"))),
        });
        Self { server, state }
    }

    fn url(&self) -> String {
        self.server.url("/sse")
    }

    /// Closes the stream.
    fn close(&self) {
        *self.state.events.lock().unwrap() = None;
    }
}

impl Drop for Older {
    fn drop(&mut self) {
        self.close();
    }
}

impl State {
    /// Writes events until there is nobody to write them.
    fn stream(&self, endpoint: &str, connection: &mut TcpStream) -> io::Result<()> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        let (sender, events) = channel();
        *self.events.lock().unwrap() = Some(sender);
        let begin = format!(": hello\r\n\r\nevent: endpoint\r\ndata: {endpoint}\r\n\r\n");
        let content_type = [("content-type", "text/event-stream")];
        connection.write_all(&unframed_response(200, &content_type, begin))?;
        events.iter().try_for_each(|event| connection.write_all(event.as_bytes()))
    }

    fn receive(&self, request: &ReceivedRequest) {
        let message = request.json();
        let sender = self.events.lock().unwrap().clone();
        let Some(sender) = sender.filter(|_| !message["id"].is_null()) else { return };
        let unknown = json!({ "jsonrpc": "2.0", "id": message["id"],
                              "error": { "code": -32601, "message": "unknown" } });
        let answer = answers(&message, answer_usual).pop().unwrap_or_else(|| unknown.to_string());
        let _ = sender.send(format!("data: {answer}\n\nevent: odd\ndata: nothing\n\n"));
    }
}

const CLOSE: [(&str, &str); 1] = [("connection", "close")];

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_stream_of_events_is_called_and_connected_again() {
    let server = Older::serve("/messages?session=7");
    let upstream = supervise(local(server.url()));
    assert_eq!(text_of("echo", &upstream).await, "answered");
    assert_eq!(region(&upstream), "here");
    assert_eq!(upstream.status().server.unwrap().name, "remote");
    server.close();
    until(Ready, &upstream).await;
    // A call may find the stream that has just ended, and then fails.
    within(async {
        while Calling::new("echo").on(&upstream).await.is_err() {
            upstream.until(|status| status.state == Ready).await;
        }
    })
    .await;
    assert_eq!(server.state.opened.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_do_not_leave_the_server() {
    let server = Older::serve("http://127.0.0.2:9/messages");
    let upstream = supervise(local(server.url()).with_header("Authorization", "Bearer s3cret"));
    let status = until(Disabled, &upstream).await;
    let reason = "It wants messages at an address of another server.";
    assert_eq!(status.reason.as_deref(), Some(reason));
    let failure = Calling::new("echo").on(&upstream).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
}
