//! Stand-ins for programs of others: a site with one page, and Obsidian's Local REST API.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// A page of the site.
const PAGE: &str = "<title>Opening hours</title><article><h1>Opening hours</h1><p>The lamp room is open on <b>Sundays</b> \
    from 14:00, if the causeway is dry.</p></article>";

/// What the API says about itself: it has an extension that runs scripts of Dataview.
const ABOUT: &str = r#"{"status": "OK", "authenticated": true, "apiExtensions": [{"id": "scripts", "version": "1.0.0",
    "routes": [{"path": "/dataview-js/", "authenticated": true}]}]}"#;

/// The note that is open.
const ACTIVE: &str = r#"{"path": "Inbox.md", "content": "", "frontmatter": {}, "tags": [],
    "stat": {"ctime": 1, "mtime": 2, "size": 0}}"#;

/// A site with a page at every path. Returns its address.
pub(crate) fn site() -> String {
    serve("text/html; charset=utf-8", |_| PAGE)
}

/// The API of a running Obsidian, where `Inbox.md` is open and each script returns 2. Returns its address.
pub(crate) fn obsidian() -> String {
    serve("application/json", |request| match request {
        "GET /" => ABOUT,
        "GET /active/" => ACTIVE,
        "POST /dataview-js/" => "2",
        _ => "",
    })
}

/// Answers requests, such as `GET /`, for as long as the test runs.
fn serve(media_type: &'static str, answer: fn(&str) -> &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // The client may have left.
            let _ = converse(&stream.unwrap(), media_type, answer);
        }
    });
    address
}

fn converse(
    mut stream: &TcpStream,
    media_type: &str,
    answer: fn(&str) -> &'static str,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    for line in reader.by_ref().lines() {
        let line = line?.to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        let value = line.strip_prefix("content-length: ");
        length = value.map_or(length, |value| value.parse().unwrap());
    }
    // A body that is not read would reset the connection.
    std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
    let body = answer(first.trim_end().trim_end_matches(" HTTP/1.1"));
    let size = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ncontent-length: {size}\r\n\r\n{body}"
    )
}
