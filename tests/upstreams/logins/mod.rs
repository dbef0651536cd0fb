//! Logins of a user to remote servers, in the program as users run it. The server demands what servers may demand.

mod answers;
mod begins;
mod renewals;

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use toolwrit_test_servers::forms::form;
use toolwrit_test_servers::oauth::{Rules, Site};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::waiting::{self, Lines};

use crate::upstreams::{Host, Setup};

/// A user with an upstream to log in to.
struct Home {
    site: Site,
    setup: Setup,
}

/// `upstream login`, which waits for the browser.
struct Login {
    child: Child,
    lines: Lines,
    address: String,
}

impl Home {
    fn new(rules: Rules) -> Self {
        Self::with(rules, "login = true")
    }

    fn with(rules: Rules, keys: &str) -> Self {
        let site = Site::serve(rules);
        let configuration = format!(
            "[upstreams.site]\nurl = \"{}\"\nnetworks = [\"127.0.0.1\"]\n{keys}\n",
            site.url()
        );
        let configuration = format!("{configuration}trust_annotations = true\n");
        Self { site, setup: Setup::new(&configuration) }
    }

    /// Replaces the key `login`.
    fn reconfigure(&self, login: &str) {
        let configuration = fs::read_to_string(&self.setup.config).unwrap();
        fs::write(&self.setup.config, configuration.replace("login = true", login)).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.setup.command(arguments);
        command.env_remove("XDG_DATA_HOME").env_remove("TOOLWRIT_LOG");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed, and returns what it prints.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", errors(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must fail, and returns why.
    fn failed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        errors(&output)
    }

    fn begin(&self, more: &[&str]) -> Login {
        Login::begin(self.command(&[&["upstream", "login", "site", "--no-browser"], more].concat()))
    }

    fn log_in(&self) {
        let login = self.begin(&[]);
        let back = consent(&login.address);
        assert_eq!(open(&back).0, 200);
        login.succeeded();
    }

    /// Logs in, and approves the tools.
    fn ready(rules: Rules) -> Self {
        let home = Self::new(rules);
        home.log_in();
        home.done(&["upstream", "approve", "site", "--yes"]);
        home
    }

    fn serve(&self) -> Host {
        let mut command = self.command(&["serve", "--surface", "flat"]);
        command.stderr(Stdio::piped());
        let (client, _) = Client::of(command, Era::Initialize);
        Host { client, surface: "flat" }
    }

    fn file(&self) -> PathBuf {
        let data =
            if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
        self.setup.folder.path().join(data).join("toolwrit/logins/site.json")
    }

    fn kept(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.file()).unwrap()).unwrap()
    }

    /// Lets the access token expire.
    fn expire(&self) {
        let mut kept = self.kept();
        (kept["access"]["expires_at"], kept["access"]["renew_at"]) = (json!(1), json!(1));
        fs::write(self.file(), kept.to_string()).unwrap();
    }

    /// The forms of the requests for tokens of this kind.
    fn grants(&self, kind: &str) -> Vec<HashMap<String, String>> {
        let forms = self.site.bodies("/token").into_iter().map(|body| form(&body));
        forms.filter(|sent| sent["grant_type"] == kind).collect()
    }
}

impl Login {
    fn begin(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = Lines::of(child.stderr.take().unwrap());
        let address = lines.find("http://");
        Self { child, lines, address }
    }

    fn paste(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn succeeded(mut self) {
        self.lines.find("Logged in to site");
        assert!(self.end());
    }

    /// The line with which it fails.
    fn failed(mut self) -> String {
        let line = self.lines.find("nobody is logged in to site: ");
        assert!(!self.end());
        line
    }

    /// Whether it succeeds.
    fn end(&mut self) -> bool {
        waiting::found("the end of the login", || self.child.try_wait().unwrap()).success()
    }

    /// The parameters of the address.
    fn asked(&self) -> HashMap<String, String> {
        form(self.address.split_once('?').unwrap().1)
    }
}

impl Drop for Login {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls a tool, which must succeed.
fn reads(host: &mut Host, tool: &str) {
    let answer = host.read(tool, &json!({}));
    assert!(!answer.is_error(), "{}", answer.text());
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Opens an address as a browser does, without following it. Returns the status, the `Location` and the page.
fn open(address: &str) -> (u16, String, String) {
    let config = ureq::Agent::config_builder()
        .max_redirects(0)
        .http_status_as_error(false)
        .timeout_global(Some(waiting::TIMEOUT));
    let agent: ureq::Agent = config.build().into();
    let mut answer = agent.get(address).call().unwrap();
    let location = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
    let page = answer.body_mut().read_to_string().unwrap();
    (answer.status().as_u16(), location.unwrap_or_default(), page)
}

/// The user agrees. Returns the address to which the browser is sent.
fn consent(address: &str) -> String {
    let (status, location, page) = open(address);
    assert_eq!(status, 302, "{address}: {page}");
    location
}
