//! A server of HTTP/1.1 that answers with the bytes that a test gives it, and records the requests.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use serde_json::Value;

/// A server on a free port of this machine. It ends when it is dropped, with all its connections.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    requests: Mutex<Vec<ReceivedRequest>>,
    connections: Mutex<Connections>,
}

/// The open connections by their numbers.
#[derive(Debug, Default)]
struct Connections {
    has_ended: bool,
    last: u64,
    open: HashMap<u64, TcpStream>,
}

/// A request as it was received.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// `GET`, for example.
    pub method: String,
    /// The path with the query.
    pub target: String,
    /// The header fields in their order, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body. Its length is that of `content-length`.
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    /// Reads the next request of a connection; `None` if there is none, or only a part of one.
    pub fn read(reader: &mut impl BufRead) -> Option<Self> {
        let mut lines = reader.by_ref().lines().map_while(Result::ok);
        let first = lines.next()?;
        let mut words = first.split(' ').map(str::to_owned);
        let (method, target) = (words.next()?, words.next()?);
        let mut headers = Vec::new();
        loop {
            let line = lines.next()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':')?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Self { method, target, headers, body: Vec::new() };
        let length = request.header("content-length").map_or(Some(0), |length| length.parse().ok());
        request.body.resize(length?, 0);
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }

    /// The method and the target, such as `GET /items?page=2`.
    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    /// The path without the query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The first header field with this name, which is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl HttpServer {
    /// Answers each request by writing to its connection, which then ends. A script may also wait for the client, see
    /// [`wait_for_end`].
    pub fn scripted(
        answer: impl Fn(&ReceivedRequest, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        Self::scripted_on("127.0.0.1", answer)
    }

    /// The same at another address of this machine, such as 127.0.0.2.
    pub fn scripted_on(
        ip: &str,
        answer: impl Fn(&ReceivedRequest, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        Self::start(ip, move |request, stream| {
            answer(request, stream);
            false
        })
    }

    /// Answers each request with the bytes of a response, see [`response`]. The connection stays open, unless the response has
    /// `connection: close`.
    pub fn answering(answer: impl Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start("127.0.0.1", move |request, stream| {
            let response = answer(request);
            stream.write_all(&response).is_ok() && !closes(&response)
        })
    }

    /// Answers each request with the next of these responses, and with the last one again and again.
    pub fn in_turn(responses: Vec<Vec<u8>>) -> Self {
        let next = Mutex::new(0);
        Self::answering(move |_| {
            let mut next = next.lock().unwrap();
            let response = responses[(*next).min(responses.len() - 1)].clone();
            *next += 1;
            response
        })
    }

    /// Answers requests for these targets with their responses, and others with the status 404.
    pub fn with_pages<'a>(pages: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Self {
        let pages = pages.into_iter().map(|(target, page)| (target.to_owned(), page));
        let pages: HashMap<String, Vec<u8>> = pages.collect();
        Self::answering(move |request| {
            pages.get(&request.target).cloned().unwrap_or_else(|| response(404, &[], ""))
        })
    }

    /// Listens. The answer tells whether the connection stays open.
    fn start(
        ip: &str,
        answer: impl Fn(&ReceivedRequest, &mut TcpStream) -> bool + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((ip, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (shared, answer) = (Arc::<Shared>::default(), Arc::new(answer));
        let listening = thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    let Some(number) = shared.open(&stream) else { return };
                    let (shared, answer) = (Arc::clone(&shared), Arc::clone(&answer));
                    thread::spawn(move || {
                        // Also if the script panics, so that the client does not wait.
                        let _closing = Closing(&shared, number);
                        shared.converse(stream, &*answer);
                    });
                }
            }
        });
        Self { address, shared, listening: Some(listening) }
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path, which begins with a slash or is empty.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far. A request is among them before it is answered.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// The lines of the requests so far, such as `GET /items?page=2`.
    pub fn lines(&self) -> Vec<String> {
        self.shared.requests.lock().unwrap().iter().map(ReceivedRequest::line).collect()
    }

    /// The only request so far.
    pub fn only_request(&self) -> ReceivedRequest {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:#?}");
        requests.remove(0)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.shared.end();
        // The thread that accepts connections learns with the next one that it has ended.
        if TcpStream::connect(self.address).is_ok()
            && let Some(listening) = self.listening.take()
        {
            let _ = listening.join();
        }
    }
}

impl Shared {
    /// Keeps a connection until it ends. Returns its number; `None` if the server has ended.
    fn open(&self, stream: &TcpStream) -> Option<u64> {
        let mut connections = self.connections.lock().unwrap();
        if connections.has_ended {
            return None;
        }
        connections.last += 1;
        let number = connections.last;
        connections.open.insert(number, stream.try_clone().unwrap());
        Some(number)
    }

    fn converse(
        &self,
        mut stream: TcpStream,
        answer: &dyn Fn(&ReceivedRequest, &mut TcpStream) -> bool,
    ) {
        stream.set_nodelay(true).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while let Some(request) = ReceivedRequest::read(&mut reader) {
            self.requests.lock().unwrap().push(request.clone());
            if !answer(&request, &mut stream) {
                return;
            }
        }
    }

    fn end(&self) {
        let mut connections = self.connections.lock().unwrap();
        connections.has_ended = true;
        for (_, stream) in connections.open.drain() {
            // The client may have closed it.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Forgets a connection when its thread ends, because it stays open as long as a handle of it.
struct Closing<'a>(&'a Shared, u64);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        if let Ok(mut connections) = self.0.connections.lock() {
            connections.open.remove(&self.1);
        }
    }
}

/// Whether a response tells that the connection ends.
fn closes(response: &[u8]) -> bool {
    let mut lines =
        response.split(|byte| *byte == b'\n').take_while(|line| line.trim_ascii() != b"");
    lines.any(|line| line.trim_ascii().eq_ignore_ascii_case(b"connection: close"))
}

/// The bytes of a response whose length is known.
pub fn response(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = ("content-length", &*body.len().to_string());
    with_head(status, headers.iter().chain([&length]), body)
}

/// The bytes of a response that ends with its connection.
pub fn unframed_response(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    with_head(status, headers.iter().chain([&("connection", "close")]), body.as_ref())
}

fn with_head<'a>(
    status: u16,
    headers: impl Iterator<Item = &'a (&'a str, &'a str)>,
    body: &[u8],
) -> Vec<u8> {
    let headers: Vec<String> =
        headers.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("HTTP/1.1 {status} Some Reason\r\n{}\r\n", headers.concat());
    [head.as_bytes(), body].concat()
}

/// The bytes of a response with JSON.
pub fn json_response(status: u16, body: &Value) -> Vec<u8> {
    response(status, &[("content-type", "application/json")], body.to_string())
}

/// Writes the same bytes until the client closes its connection, or the server ends.
pub fn write_endlessly(stream: &mut TcpStream, bytes: &[u8]) {
    while stream.write_all(bytes).is_ok() {}
}

/// Waits until the client closes its connection, or the server ends.
pub fn wait_for_end(stream: &mut TcpStream) {
    while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {}
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::time::Duration;

    use super::{HttpServer, response, wait_for_end};

    fn connect(server: &HttpServer) -> TcpStream {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream
    }

    fn read(stream: &mut TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn connections_stay_open_as_long_as_answers_tell() {
        let server = HttpServer::answering(|request| {
            let closes = request.text() == "last";
            response(200, if closes { &[("connection", "close")] } else { &[] }, &request.body)
        });
        let mut stream = connect(&server);
        stream.write_all(b"POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nfirst").unwrap();
        stream.write_all(b"POST /b?c HTTP/1.1\r\ncontent-length:4\r\n\r\nlast").unwrap();
        let said = read(&mut stream);
        assert!(said.contains("\r\n\r\nfirst") && said.ends_with("\r\n\r\nlast"), "{said}");
        assert_eq!(server.lines(), ["POST /a", "POST /b?c"]);
        assert_eq!(server.requests()[1].path(), "/b");
    }

    #[test]
    fn a_server_ends_with_its_connections_when_it_is_dropped() {
        let server = HttpServer::scripted(|_, stream| {
            stream.write_all(b"half of an ans").unwrap();
            wait_for_end(stream);
        });
        let (mut waiting, mut idle) = (connect(&server), connect(&server));
        waiting.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut begun = [0; 14];
        waiting.read_exact(&mut begun).unwrap();
        let address = server.address();
        drop(server);
        assert_eq!((read(&mut waiting).as_str(), read(&mut idle).as_str()), ("", ""));
        assert!(TcpStream::connect(address).is_err());
    }
}
