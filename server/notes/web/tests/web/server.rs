//! An HTTP server that sends what it is told, valid or not.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server on a free port of 127.0.0.1, for as long as the tests run.
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers each request, of which it gets the path, by writing to its connection.
    pub(crate) fn answering(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        Self::on("127.0.0.1", answer)
    }

    pub(crate) fn on(
        ip: &str,
        answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((ip, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, seen, answer) = (stream.unwrap(), seen.clone(), answer.clone());
                std::thread::spawn(move || {
                    let Some(path) = requested(&stream) else { return };
                    seen.lock().unwrap().push(path.clone());
                    answer(&path, &mut stream);
                });
            }
        });
        Self { address, requests }
    }

    /// Answers with these pages, each with its path, its headers and its body. There is nothing else.
    pub(crate) fn of(pages: &[(&str, &str, &[u8])]) -> Self {
        let pages: Vec<(String, Vec<u8>)> = pages
            .iter()
            .map(|(path, headers, body)| ((*path).to_owned(), response("200 OK", headers, body)))
            .collect();
        Self::answering(move |path, stream| {
            let found = pages.iter().find(|(known, _)| known == path);
            let missing = response("404 Not Found", "", b"");
            send(stream, found.map_or(&missing, |(_, response)| response));
        })
    }

    /// One page of HTML at every path, and no robots.txt.
    pub(crate) fn html(body: &str) -> Self {
        Self::of(&[("/", "content-type: text/html; charset=utf-8", body.as_bytes())])
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The paths that were requested, except for robots.txt.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|path| *path != "/robots.txt").cloned().collect()
    }

    /// How often its robots.txt was requested.
    pub(crate) fn robots_requests(&self) -> usize {
        self.requests.lock().unwrap().iter().filter(|path| *path == "/robots.txt").count()
    }
}

/// The path of a request; `None` if the client left.
fn requested(stream: &TcpStream) -> Option<String> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next()?;
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    Some(first.split(' ').nth(1)?.to_owned())
}

/// A whole response.
pub(crate) fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let headers = if headers.is_empty() { String::new() } else { format!("{headers}\r\n") };
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Sends bytes; the client may have left.
pub(crate) fn send(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    stream.write_all(bytes).is_ok()
}

/// Waits until the client leaves.
pub(crate) fn wait_for_end(stream: &mut TcpStream) {
    while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {}
}
