//! The proxies of the guide, as their pages configure them: they end TLS, pass on streams at once, and forward every path.

use std::io::{BufRead as _, BufReader, Lines};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use rcgen::{CertificateParams, KeyPair};
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::{Home, Server, message};
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::waiting::until;

const GUIDE: &str = include_str!("../../docs/src/guide/lifecycle.md");
const HOST: &str = "notes.example.org";
const TOUCH: &str = "test_touch_watched_resource";

/// A proxy with the configuration of the guide, which differs in ports and in the certificate only.
struct Proxy {
    child: Child,
    port: u16,
    folder: TempDir,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request over the proxy by curl, and what it has received of the events.
struct Stream {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Stream {
    fn next_event(&mut self) -> Value {
        let data = |line: String| line.strip_prefix("data:").map(|text| text.trim().to_owned());
        let mut found = self.lines.by_ref().map_while(Result::ok).filter_map(data);
        let event = found.find(|text| !text.is_empty()).unwrap();
        serde_json::from_str(&event).unwrap()
    }
}

impl Proxy {
    /// Starts a proxy in front of a server. `command` starts it in a folder with its configuration in a file.
    fn start(text: &str, command: impl FnOnce(&Path, &Path) -> Command) -> Self {
        let folder = TempDir::new().unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![HOST.to_owned()]).unwrap();
        let certificate = certificate.self_signed(&key).unwrap();
        std::fs::write(folder.path().join("notes.pem"), certificate.pem()).unwrap();
        std::fs::write(folder.path().join("notes.key"), key.serialize_pem()).unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let here = |name: &str| folder.path().join(name).display().to_string();
        let text = text
            .replace("PORT", &port.to_string())
            .replace("CERTIFICATE", &here("notes.pem"))
            .replace("KEY", &here("notes.key"))
            .replace("FOLDER", &folder.path().display().to_string());
        let file = folder.path().join("configuration");
        std::fs::write(&file, text).unwrap();
        let mut command = command(folder.path(), &file);
        let child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut proxy = Self { child, port, folder };
        until("the proxy listens", || {
            let ended = proxy.child.try_wait().unwrap();
            assert!(ended.is_none(), "the proxy has ended: {ended:?}");
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        proxy
    }

    /// A request by curl, which trusts the certificate of the proxy.
    fn curl(&self, path: &str, token: Option<&str>) -> Command {
        let mut curl = Command::new("curl");
        let (host, port) = (HOST, self.port);
        curl.args(["--silent", "--no-buffer", "--max-time", "120", "--cacert"])
            .arg(self.folder.path().join("notes.pem"))
            .args(["--resolve", &format!("{host}:{port}:127.0.0.1")])
            .arg(format!("https://{host}:{port}{path}"));
        if let Some(token) = token {
            curl.args(["--header", &format!("authorization: Bearer {token}")]);
        }
        curl
    }

    /// The status and the body of an answer.
    fn answer(&self, path: &str, token: Option<&str>) -> (u16, String) {
        let output =
            self.curl(path, token).args(["--write-out", "\n%{http_code}"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (body, status) = text.rsplit_once('\n').unwrap();
        (status.parse().unwrap(), body.to_owned())
    }

    /// Sends a request whose answer is a stream of events.
    fn post(&self, token: &str, method: &str, params: Value) -> Stream {
        let (body, headers) = message(Era::Stateless, method, params);
        let mut curl = self.curl("/mcp/flat", Some(token));
        curl.args(["--header", "content-type: application/json"])
            .args(["--header", "accept: application/json, text/event-stream"])
            .args(
                headers
                    .iter()
                    .flat_map(|(name, value)| ["--header".to_owned(), format!("{name}: {value}")]),
            )
            .args(["--data-binary", &body.to_string()])
            .stdout(Stdio::piped());
        let mut child = curl.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Stream { child, lines }
    }
}

/// The block of the guide for a proxy.
fn of_guide(proxy: &str) -> &'static str {
    let (_, after) = GUIDE.split_once(&format!("<!-- proxy {proxy} -->\n")).unwrap();
    after.split("```").nth(1).and_then(|block| block.split_once('\n')).unwrap().1
}

/// Replaces what must be another here, and must be there.
fn with(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} is not in {text}");
    text.replace(from, to)
}

fn check(start: impl FnOnce(&Server) -> Proxy) {
    let home = Home::new();
    let program = Path::new(env!("CARGO_BIN_EXE_conformance-server"));
    let token = home.token(program, "owner");
    let server = home.serve(program, &["--allowed-host", HOST]);
    let proxy = start(&server);

    assert_eq!(proxy.answer("/mcp/flat", None).0, 401);
    let path = "/.well-known/oauth-protected-resource/mcp";
    let direct = server.get(path, &[]);
    assert_eq!(proxy.answer(path, None), (direct.status, direct.body));

    // The stream stays open, so a proxy that waits for its end passes on nothing.
    let wish = json!({"notifications": {"resourceSubscriptions": ["test://watched-resource"]}});
    let mut stream = proxy.post(&token, "subscriptions/listen", wish);
    let begun = stream.next_event();
    assert_eq!(begun["method"], "notifications/subscriptions/acknowledged", "{begun}");
    server.client("/flat").bearing(&token).call(TOUCH, &json!({}));
    let news = stream.next_event();
    assert_eq!(news["method"], "notifications/resources/updated", "{news}");
}

#[test]
fn caddy_passes_on_streams_and_all_paths() {
    let program = PathBuf::from("/usr/bin/caddy");
    if !met(
        &[Need::File(&program), Need::Program(Path::new("curl"), (7, 64))],
        "apt install caddy curl",
    ) {
        return;
    }
    check(|server| {
        let text = with(of_guide("caddy"), "127.0.0.1:8080", server.address());
        // Caddy would ask an authority for a certificate.
        let site = format!("https://{HOST}:PORT {{\n    tls CERTIFICATE KEY");
        let text = with(&text, &format!("{HOST} {{"), &site);
        let text = format!("{{\n    admin off\n    auto_https off\n}}\n{text}");
        Proxy::start(&text, |folder, file| {
            let mut caddy = Command::new(&program);
            caddy.args(["run", "--adapter", "caddyfile", "--config"]).arg(file);
            caddy.env("HOME", folder).env("XDG_DATA_HOME", folder).env("XDG_CONFIG_HOME", folder);
            caddy
        })
    });
}

#[test]
fn nginx_passes_on_streams_and_all_paths() {
    let program = PathBuf::from("/usr/sbin/nginx");
    if !met(
        &[Need::File(&program), Need::Program(Path::new("curl"), (7, 64))],
        "apt install nginx curl",
    ) {
        return;
    }
    check(|server| {
        let text = with(of_guide("nginx"), "127.0.0.1:8080", server.address());
        let text = with(&text, "listen 443 ssl", "listen 127.0.0.1:PORT ssl");
        let text = with(&text, "/etc/ssl/certs/notes.pem", "CERTIFICATE");
        let text = with(&text, "/etc/ssl/private/notes.key", "KEY");
        // What the configuration of the system says around it.
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let folders = folders.map(|kind| format!("{kind}_temp_path FOLDER/{kind};\n")).concat();
        let text = format!(
            "daemon off;\nmaster_process off;\npid FOLDER/nginx.pid;\nerror_log stderr;\nevents {{}}\n\
             http {{\naccess_log off;\n{folders}{text}\n}}\n"
        );
        Proxy::start(&text, |folder, file| {
            let mut nginx = Command::new(&program);
            nginx.arg("-p").arg(folder).arg("-c").arg(file);
            nginx
        })
    });
}
