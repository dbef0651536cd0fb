//! Both transports, to a laboratory that must survive the input.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::memory::resident;
use toolwrit_tests::program::lab;

/// The memory that a server may gain by one row. The longest line has 16 MiB, and its sender leaves a
/// buffer of that size.
const GROWTH: u64 = 48 * 1024 * 1024;

/// Standard streams.
pub(crate) struct Stdio {
    pub(crate) client: Client,
    watch: Watch,
}

impl Stdio {
    pub(crate) fn open() -> Self {
        Self::of(Client::connect(lab(), &["serve", "--surface", "flat"], Era::Initialize))
    }

    pub(crate) fn of(mut client: Client) -> Self {
        client.call("lab_echo", &json!({"text": "first"})).ok();
        let watch = Watch::new(client.pid());
        Self { client, watch }
    }

    /// Checks that the next message is the answer to a new call: nothing before it is answered.
    pub(crate) fn still_serves(&mut self, after: &str) {
        let id = self.client.begin_call("lab_echo", &json!({"text": "still here"}));
        let next = self.client.next_message();
        assert_eq!(next["id"], id, "after {after}: {next}");
        assert_eq!(next["result"]["structuredContent"]["text"], "still here", "after {after}");
        self.watch.check(after);
    }
}

/// Streamable HTTP.
pub(crate) struct Http {
    pub(crate) server: Server,
    /// Its home folder, which lives as long as the server.
    _home: Home,
    headers: Vec<(String, String)>,
    watch: Watch,
}

impl Http {
    pub(crate) fn open() -> Self {
        Self::open_with(Home::new(), &[])
    }

    /// Starts a server for which a valid call needs these headers.
    pub(crate) fn open_with(home: Home, headers: &[(&str, &str)]) -> Self {
        let server = home.serve(lab(), &["--surface", "flat"]);
        let watch = Watch::new(server.child.id());
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let mut transport = Self { server, _home: home, headers: headers.collect(), watch };
        transport.still_serves("nothing");
        transport.watch = Watch::new(transport.server.child.id());
        transport
    }

    pub(crate) fn still_serves(&self, after: &str) {
        let mut client = self.server.client("");
        for (name, value) in &self.headers {
            client = client.with(name, value);
        }
        let answer = client.call("lab_echo", &json!({"text": "still here"})).ok();
        assert_eq!(answer["text"], "still here", "after {after}");
        self.watch.check(after);
    }
}

/// The memory of a process.
struct Watch {
    pid: u32,
    before: Option<u64>,
}

impl Watch {
    fn new(pid: u32) -> Self {
        Self { pid, before: resident(pid) }
    }

    fn check(&self, after: &str) {
        if let (Some(before), Some(now)) = (self.before, resident(self.pid)) {
            assert!(now < before + GROWTH, "after {after}: {before} bytes were {now}");
        }
    }
}

/// The start of a row, to identify the one that failed.
pub(crate) fn shown(sent: &[u8]) -> String {
    String::from_utf8_lossy(&sent[..sent.len().min(300)]).into_owned()
}

/// The body of an answer, null if it is empty.
pub(crate) fn json_or_null(body: &str) -> Value {
    if body.is_empty() { Value::Null } else { serde_json::from_str(body).unwrap() }
}
