//! An HTTP server that answers what a test wants, valid or not, and remembers what it was sent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A server on a free port of 127.0.0.1, for as long as the tests run.
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Sent>>>,
}

/// A request as the server got it.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    /// In lower case, in their order.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Sent {
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn read(reader: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut lines = reader.by_ref().lines().map_while(Result::ok);
        let first = lines.next()?;
        let (method, rest) = first.split_once(' ')?;
        let target = rest.strip_suffix(" HTTP/1.1")?.to_owned();
        let headers: Vec<(String, String)> = lines
            .take_while(|line| !line.is_empty())
            .map(|line| {
                let (name, value) = line.split_once(": ").unwrap();
                (name.to_ascii_lowercase(), value.to_owned())
            })
            .collect();
        let mut sent = Self { method: method.to_owned(), target, headers, body: Vec::new() };
        let length = sent.header("content-length").map_or(0, |length| length.parse().unwrap());
        sent.body.resize(length, 0);
        reader.read_exact(&mut sent.body).ok()?;
        Some(sent)
    }
}

impl Server {
    /// Answers each request by writing to its connection, which ends if the answer does not tell to go on.
    pub(crate) fn scripted(
        answer: impl Fn(&Sent, &mut TcpStream) -> bool + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, seen, answer) = (stream.unwrap(), seen.clone(), answer.clone());
                stream.set_nodelay(true).unwrap();
                std::thread::spawn(move || {
                    let mut reader = BufReader::new(stream.try_clone().unwrap());
                    while let Some(sent) = Sent::read(&mut reader) {
                        seen.lock().unwrap().push(sent.clone());
                        if !answer(&sent, &mut stream) {
                            return;
                        }
                    }
                });
            }
        });
        Self { address, requests }
    }

    /// Answers each request with a whole response.
    pub(crate) fn answering(answer: impl Fn(&Sent) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::scripted(move |sent, stream| stream.write_all(&answer(sent)).is_ok())
    }

    /// Answers each request with the next of these responses, and the last one again and again.
    pub(crate) fn in_turn(responses: Vec<Vec<u8>>) -> Self {
        let next = Mutex::new(0);
        Self::answering(move |_| {
            let mut next = next.lock().unwrap();
            let response = responses[(*next).min(responses.len() - 1)].clone();
            *next += 1;
            response
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/api", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn requests(&self) -> Vec<Sent> {
        self.requests.lock().unwrap().clone()
    }

    /// The requests after the first ones.
    pub(crate) fn requests_after(&self, count: usize) -> Vec<Sent> {
        self.requests.lock().unwrap()[count..].to_vec()
    }

    pub(crate) fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    /// The request lines, such as `GET /api/items`.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests().iter().map(Sent::line).collect()
    }

    /// The only request.
    pub(crate) fn only(&self) -> Sent {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:#?}");
        requests.remove(0)
    }
}

/// A whole response.
pub(crate) fn response(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let length = ("content-length", &*body.len().to_string());
    let headers = headers.iter().chain([&length]);
    let headers: Vec<String> =
        headers.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("HTTP/1.1 {status} Some Reason\r\n{}\r\n", headers.concat());
    [head.as_bytes(), body].concat()
}

/// A response of JSON.
pub(crate) fn json(status: u16, body: &Value) -> Vec<u8> {
    response(status, &[("content-type", "application/json")], body.to_string().as_bytes())
}

/// Waits until the client leaves.
pub(crate) fn wait_for_end(stream: &mut TcpStream) {
    while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {}
}
