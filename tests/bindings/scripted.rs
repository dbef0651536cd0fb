//! An API that answers probes as the blog does, and all else with the bytes of a test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server on a free port of 127.0.0.1, for as long as the tests run.
pub(crate) struct Scripted {
    address: SocketAddr,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    /// Each connection ends with its answer.
    pub(crate) fn new(answer: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&lines), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, seen, answer) = (stream.unwrap(), seen.clone(), answer.clone());
                std::thread::spawn(move || {
                    let Some(line) = request(&stream) else { return };
                    if line.contains("/users/me") {
                        let probed =
                            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}";
                        drop(stream.write_all(probed.as_bytes()));
                    } else {
                        seen.lock().unwrap().push(line);
                        answer(&mut stream);
                    }
                });
            }
        });
        Self { address, lines }
    }

    /// The setting `url`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/wp-json", self.address)
    }

    /// The requests so far, as `METHOD /path`, without those of probes.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

/// Reads a request, and returns its method and target.
fn request(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let head: Vec<String> =
        reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let length = head.iter().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    head.first()?.strip_suffix(" HTTP/1.1").map(str::to_owned)
}

/// Waits until the client leaves.
pub(crate) fn wait_for_end(stream: &mut TcpStream) {
    while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {}
}
