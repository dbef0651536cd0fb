//! Very many connections that occupy the server, and are reopened whenever they end. Meanwhile accounts are
//! served, on an older connection and on new ones; without tokens, every caller is served.
#![expect(clippy::print_stdout, reason = "figures, for whoever runs it with --nocapture")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::memory::peak;
use toolwrit_tests::program::lab;
use toolwrit_tests::waiting::Stop;

use crate::hostile::crowd::{CROWD, allow_many_files};

/// Calls on each connection during the attack.
const CALLS: usize = 5;
/// How often a caller opens a connection.
const ATTEMPTS: usize = 3;
/// How long a connection may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The server's memory limit, in bytes.
const MEMORY: u64 = 250 * 1024 * 1024;
const HEALTH: &str = "/healthz";
const POLL: &str = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
const HEAD: &str = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                    accept: application/json, text/event-stream\r\n";

/// One crowd at a time: each uses all the file descriptors that the system may provide.
static TURN: Mutex<()> = Mutex::new(());

/// The behaviour of a crowd's connections.
#[derive(Clone, Default)]
struct Kind {
    name: &'static str,
    /// Sent when a connection opens.
    first: String,
    /// Sent repeatedly.
    then: &'static str,
    /// Whether answers are read.
    reads: bool,
    /// They time out soon, so waiting for that would also let others in.
    ends: bool,
}

fn idle() -> Kind {
    Kind { name: "idle", reads: true, ends: true, ..Kind::default() }
}

fn pollers() -> Kind {
    Kind { name: "pollers", first: POLL.to_owned(), then: POLL, reads: true, ends: false }
}

fn partial_heads() -> Kind {
    Kind { name: "half heads", first: HEAD.to_owned(), reads: true, ends: true, ..Kind::default() }
}

fn partial_bodies() -> Kind {
    let first = format!("{HEAD}content-length: 250000\r\n\r\n{}", " ".repeat(249_999));
    Kind { name: "half bodies", first, reads: true, ..Kind::default() }
}

/// Sends this many requests and reads nothing.
fn never_readers(path: &str, times: usize) -> Kind {
    let ask = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    // The requests of connections that the system accepts in their place are answered soon.
    let ends = path == HEALTH;
    Kind { name: "never-readers", first: ask.repeat(times), ends, ..Kind::default() }
}

struct Crowd<'a> {
    kind: Kind,
    server: &'a Server,
    streams: Vec<TcpStream>,
}

impl<'a> Crowd<'a> {
    fn gather(kind: Kind, server: &'a Server) -> Self {
        let mut crowd = Self { kind, server, streams: Vec::new() };
        for _ in 0..CROWD {
            let stream = crowd.open();
            crowd.streams.push(stream);
        }
        crowd
    }

    fn open(&self) -> TcpStream {
        let mut stream = TcpStream::connect(self.server.address()).unwrap();
        // The server may stop reading, or may have closed the connection.
        stream.set_nonblocking(true).unwrap();
        let _ = stream.write(self.kind.first.as_bytes());
        stream
    }

    /// Reopens closed connections, and sends what is sent repeatedly.
    fn keep_up(&mut self) {
        for at in 0..self.streams.len() {
            if !is_alive(&self.streams[at], &self.kind) {
                self.streams[at] = self.open();
            }
        }
    }
}

fn is_alive(mut stream: &TcpStream, kind: &Kind) -> bool {
    let written = stream.write(kind.then.as_bytes());
    let mut buffer = [0; 4096];
    let read = if kind.reads { stream.read(&mut buffer) } else { stream.peek(&mut buffer[..1]) };
    let waits = |outcome: std::io::Result<usize>| match outcome {
        Ok(bytes) => bytes > 0,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    };
    waits(read) && (kind.then.is_empty() || waits(written))
}

/// Calls a tool and checks the answer. Returns `false` if the connection was closed without one.
fn call(socket: &mut Socket, token: Option<&str>) -> bool {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lab_echo","arguments":{"text":"still here"}}}"#;
    let credential = token.map(|token| format!("authorization: Bearer {token}\r\n"));
    let (credential, length) = (credential.unwrap_or_default(), body.len());
    socket.write(format!("{HEAD}{credential}content-length: {length}\r\n\r\n{body}"));
    let Some(answer) = socket.answer() else { return false };
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("still here"), "{answer:?}");
    true
}

/// Calls a tool over a new connection. On a busy machine another connection may come between its opening and its first byte,
/// and a connection that has sent nothing gives way. As any client, the caller then opens another.
fn call_anew(server: &Server, token: Option<&str>) {
    let is_answered = (0..ATTEMPTS).any(|_| call(&mut Socket::connect(server), token));
    assert!(is_answered, "{ATTEMPTS} new connections were closed without an answer");
}

/// Attacks a server with or without tokens, and checks that the permitted callers are served.
fn assert_served_during(kind: impl FnOnce(&Server) -> Kind, with_token: bool) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    allow_many_files();
    let home = Home::new();
    let token = with_token.then(|| home.token(lab(), "owner"));
    let token = token.as_deref();
    let server = home.serve(lab(), &["--surface", "flat"]);
    let kind = kind(&server);
    let (name, ends) = (kind.name, kind.ends);
    let mut kept = Socket::connect(&server);
    assert!(call(&mut kept, token), "the connection of the account was closed");
    // A connection that waits like the crowd, but longer, shows that no timeout has passed. It comes from
    // another address, because some of the crowd's connections must be closed.
    let mut clock = Socket::connect_from(Ipv4Addr::new(127, 0, 0, 2), &server);
    let opened = Instant::now();
    clock.write("POST /mcp HT");
    let mut crowd = Crowd::gather(kind, &server);
    let gathered = opened.elapsed();
    let start = Instant::now();
    call_anew(&server, token);
    let answered = start.elapsed();
    // On a slow machine, its time may be up because the crowd gathers for so long.
    let is_slow = opened.elapsed() >= HEAD_TIME && answered < HEAD_TIME / 2;
    assert!(
        !ends || clock.is_silent() || is_slow,
        "{name}: whoever comes waits until the time of others is up"
    );

    let is_over = AtomicBool::new(false);
    let slowest = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(SeqCst) {
                crowd.keep_up();
            }
        });
        let calls = (0..CALLS).map(|_| {
            let start = Instant::now();
            if with_token {
                assert!(call(&mut kept, token), "the connection of the account was closed");
            }
            call_anew(&server, token);
            start.elapsed()
        });
        let _stop = Stop(&is_over);
        calls.max().unwrap_or_default()
    });
    let memory = peak(server.child.id());
    println!(
        "{name}, {}: {CROWD} connections in {gathered:.1?}, first answer after {answered:.1?}, \
         slowest of {CALLS} pairs {slowest:.1?}, at most {} MB",
        if with_token { "token" } else { "no token" },
        memory.unwrap_or_default() / 1_000_000,
    );
    assert!(memory.is_none_or(|memory| memory < MEMORY), "{name}: {memory:?}");
    let streams = std::mem::take(&mut crowd.streams);
    // The server does not wait for the remaining connections.
    let start = Instant::now();
    let said = server.stop();
    println!("{name}: stopped after {:.1?}", start.elapsed());
    assert!(!said.contains("still in flight"), "{name}: {said}");
    drop(streams);
}

#[test]
fn an_account_is_served_beside_idle_connections() {
    assert_served_during(|_| idle(), true);
}

#[test]
fn an_account_is_served_beside_pollers() {
    assert_served_during(|_| pollers(), true);
}

#[test]
fn an_account_is_served_beside_partial_heads() {
    assert_served_during(|_| partial_heads(), true);
}

#[test]
fn an_account_is_served_beside_partial_bodies() {
    assert_served_during(|_| partial_bodies(), true);
}

#[test]
fn an_account_is_served_beside_clients_that_never_read() {
    assert_served_during(|_| never_readers(HEALTH, 10), true);
}

#[test]
fn without_tokens_callers_are_served_beside_idle_connections() {
    assert_served_during(|_| idle(), false);
}

#[test]
fn without_tokens_callers_are_served_beside_pollers() {
    assert_served_during(|_| pollers(), false);
}

#[test]
fn without_tokens_callers_are_served_beside_partial_heads() {
    assert_served_during(|_| partial_heads(), false);
}

#[test]
fn without_tokens_callers_are_served_beside_partial_bodies() {
    assert_served_during(|_| partial_bodies(), false);
}

#[test]
fn without_tokens_callers_are_served_beside_clients_that_never_read() {
    assert_served_during(|server| never_readers(&large_page(server), 40), false);
}

/// The path of a page of more than 100 KB.
fn large_page(server: &Server) -> String {
    let path = "/docs/search-index.js".to_owned();
    assert!(server.get(&path, &[]).body.len() > 100_000);
    path
}

/// Each network has a share, so a network at its limit takes no connections from others.
#[test]
fn a_client_from_another_address_keeps_its_connection() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    allow_many_files();
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    let mut elsewhere = Socket::connect_from(Ipv4Addr::new(127, 0, 0, 2), &server);
    assert!(call(&mut elsewhere, None), "another address is closed");
    let crowd = Crowd::gather(idle(), &server);
    call_anew(&server, None);
    assert!(call(&mut elsewhere, None), "another address is closed");
    drop(crowd);
}
