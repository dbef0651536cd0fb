//! Servers of the first version of MCP, whose messages come as events of one stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use toolwrit_upstreams::{Code, State};

use crate::remotes::{local, region, supervise, until, usual};
use crate::{Calling, text_of, within};

/// What a server of this kind does.
#[derive(Clone)]
struct Older {
    /// The data of the first event.
    place: String,
    /// How many streams were opened.
    opened: Arc<AtomicUsize>,
    events: Arc<std::sync::Mutex<Option<mpsc::UnboundedSender<String>>>>,
}

impl Older {
    /// Starts it. Returns it with its address.
    async fn serve(place: &str) -> (Self, String) {
        let (opened, events) = Default::default();
        let own = Self { place: place.to_owned(), opened, events };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/sse", listener.local_addr().unwrap());
        let served = own.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(served.clone().connection(stream));
            }
        });
        (own, address)
    }

    async fn connection(self, stream: TcpStream) -> Option<()> {
        let (reading, mut writing) = stream.into_split();
        let mut reading = BufReader::new(reading);
        while let Some((head, body)) = request(&mut reading).await {
            let first = head.lines().next().unwrap_or_default();
            if first.starts_with("GET /sse ") {
                return self.stream(writing).await;
            }
            let status = if first.starts_with("POST /messages?session=7 ") {
                self.receive(&body);
                202
            } else {
                404
            };
            let text = if status == 202 { "Accepted" } else { "Cannot POST /sse" };
            let length = text.len();
            let answer = format!("HTTP/1.1 {status} S\r\ncontent-length: {length}\r\n\r\n{text}");
            writing.write_all(answer.as_bytes()).await.ok()?;
        }
        None
    }

    /// Writes events until there is nobody to write them.
    async fn stream(&self, mut writing: OwnedWriteHalf) -> Option<()> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        let (sender, mut events) = mpsc::unbounded_channel();
        *self.events.lock().unwrap() = Some(sender);
        let begin = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hello\r\n\r\nevent: endpoint\r\ndata: {}\r\n\r\n",
            self.place
        );
        writing.write_all(begin.as_bytes()).await.ok()?;
        while let Some(event) = events.recv().await {
            writing.write_all(event.as_bytes()).await.ok()?;
        }
        None
    }

    fn receive(&self, body: &[u8]) {
        let request: Value = serde_json::from_slice(body).unwrap();
        let sender = self.events.lock().unwrap().clone();
        let Some(sender) = sender.filter(|_| !request["id"].is_null()) else { return };
        let answer = match usual(&request) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }),
            Err(_) => json!({ "jsonrpc": "2.0", "id": request["id"],
                              "error": { "code": -32601, "message": "unknown" } }),
        };
        let _ = sender.send(format!("data: {answer}\n\nevent: odd\ndata: nothing\n\n"));
    }

    /// Closes the stream.
    fn close(&self) {
        *self.events.lock().unwrap() = None;
    }
}

async fn request(reading: &mut BufReader<OwnedReadHalf>) -> Option<(String, Vec<u8>)> {
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let begin = head.len();
        if reading.read_line(&mut head).await.ok()? == 0 {
            return None;
        }
        let line = head[begin..].to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reading.read_exact(&mut body).await.ok()?;
    Some((head, body))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_stream_of_events_is_called_and_connected_again() {
    let (server, address) = Older::serve("/messages?session=7").await;
    let upstream = supervise(local(address));
    assert_eq!(text_of("echo", &upstream).await, "answered");
    assert_eq!(region(&upstream), "here");
    assert_eq!(upstream.status().server.unwrap().name, "remote");
    server.close();
    until(State::Ready, &upstream).await;
    // A call may find the stream that has just ended, and then fails.
    within(async {
        while Calling::new("echo").on(&upstream).await.is_err() {
            upstream.until(|status| status.state == State::Ready).await;
        }
    })
    .await;
    assert_eq!(server.opened.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_do_not_leave_the_server() {
    let (_, address) = Older::serve("http://127.0.0.2:9/messages").await;
    let upstream = supervise(local(address).with_header("Authorization", "Bearer s3cret"));
    let status = until(State::Disabled, &upstream).await;
    let reason = "It wants messages at an address of another server.";
    assert_eq!(status.reason.as_deref(), Some(reason));
    let failure = Calling::new("echo").on(&upstream).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
}
