//! A client that speaks JSON-RPC over a server's standard streams, without an SDK.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::waiting::{TIMEOUT, end};

/// A running server and the messages that it sends.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Answers that arrived before they were waited for.
    early: HashMap<String, Value>,
    /// Notifications in the order of arrival.
    pub notifications: Vec<Value>,
    next: u64,
    era: Era,
    user: User,
    /// What a user who agrees fills in.
    pub content: Value,
    /// The calls that may still end with questions, by id.
    open: HashMap<u64, Value>,
    /// Its data folder, unless one was given.
    _data: TempDir,
}

/// The two kinds of protocol revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// `initialize`, then a session.
    Initialize,
    /// 2026-07-28: every request names its client.
    Stateless,
}

impl Era {
    /// Both kinds.
    pub const ALL: [Era; 2] = [Era::Initialize, Era::Stateless];
}

/// The user of the client, as far as the server can ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// Confirms everything.
    Agrees,
    /// Declines everything.
    Declines,
    /// The client cannot ask.
    Absent,
}

impl User {
    fn capabilities(self) -> Value {
        if self == Self::Absent { json!({}) } else { json!({"elicitation": {}}) }
    }

    fn reply(self, content: &Value) -> Value {
        match self {
            Self::Agrees => json!({"action": "accept", "content": content}),
            Self::Declines | Self::Absent => json!({"action": "decline"}),
        }
    }
}

impl Client {
    /// Starts a program without a handshake.
    pub fn start(program: &Path, arguments: &[&str]) -> Self {
        Self::start_in(&[], program, arguments)
    }

    /// Starts a program without a handshake, with these variables in its environment.
    fn start_in(environment: &[(&str, &str)], program: &Path, arguments: &[&str]) -> Self {
        let streams = (Stdio::piped(), Stdio::piped());
        let (mut child, data) = Self::spawn(streams, environment, program, arguments);
        let output = child.stdout.take().expect("a pipe");
        let input = child.stdin.take();
        Self::on(child, input, output, data)
    }

    /// Starts a program and completes initialization in this revision. Returns its standard error, too, which the command
    /// must pipe.
    pub fn of(mut command: Command, era: Era) -> (Self, ChildStderr) {
        let data = TempDir::new().expect("a temporary folder");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).env("TOOLWRIT_DATA_DIR", data.path());
        let mut child = command.spawn().expect("the server starts");
        let output = child.stdout.take().expect("a pipe");
        let errors = child.stderr.take().expect("a pipe");
        let input = child.stdin.take();
        (Self::on(child, input, output, data).greet(User::Agrees, era), errors)
    }

    /// Starts a program and completes initialization. Its streams are sockets, like those of Node's child
    /// processes.
    #[cfg(unix)]
    pub fn over_sockets(program: &Path, arguments: &[&str]) -> Self {
        use std::os::fd::OwnedFd;
        use std::os::unix::net::UnixStream;

        let (input, theirs) = UnixStream::pair().expect("a pair of sockets");
        let (output, their_output) = UnixStream::pair().expect("a pair of sockets");
        input.set_write_timeout(Some(TIMEOUT)).expect("a socket");
        let streams = (OwnedFd::from(theirs).into(), OwnedFd::from(their_output).into());
        let (child, data) = Self::spawn(streams, &[], program, arguments);
        let input = OwnedFd::from(input).into();
        let client = Self::on(child, Some(input), OwnedFd::from(output).into(), data);
        client.greet(User::Agrees, Era::Initialize)
    }

    fn spawn(
        (input, output): (Stdio, Stdio),
        environment: &[(&str, &str)],
        program: &Path,
        arguments: &[&str],
    ) -> (Child, TempDir) {
        let data = TempDir::new().expect("a temporary folder");
        let child = Command::new(program)
            .args(arguments)
            .stdin(input)
            .stdout(output)
            .stderr(Stdio::null())
            .env_remove("TOOLWRIT_VAULT")
            .env_remove("TOOLWRIT_OBSIDIAN_API_KEY")
            .env("TOOLWRIT_DATA_DIR", data.path())
            .env("XDG_CACHE_HOME", data.path())
            .envs(environment.iter().copied())
            .spawn()
            .expect("the server starts");
        (child, data)
    }

    fn on(child: Child, input: Option<ChildStdin>, output: ChildStdout, data: TempDir) -> Self {
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { break };
                // The test that reads the line sees that it is not JSON.
                let message = serde_json::from_str(&line).unwrap_or(json!({ "garbage": line }));
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            input,
            messages,
            early: HashMap::new(),
            notifications: Vec::new(),
            next: 0,
            era: Era::Initialize,
            user: User::Agrees,
            content: json!({}),
            open: HashMap::new(),
            _data: data,
        }
    }

    /// Starts a program and completes initialization in this revision, for a user who confirms everything.
    pub fn connect(program: &Path, arguments: &[&str], era: Era) -> Self {
        Self::connect_for(User::Agrees, program, arguments, era)
    }

    /// Starts a program and completes initialization in this revision.
    pub fn connect_for(user: User, program: &Path, arguments: &[&str], era: Era) -> Self {
        Self::start(program, arguments).greet(user, era)
    }

    fn greet(mut self, user: User, era: Era) -> Self {
        self.user = user;
        self.era = era;
        if era == Era::Initialize {
            let hello = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": user.capabilities(),
                "clientInfo": {"name": "tests", "version": "1"},
            });
            let answer = self.request("initialize", hello);
            assert!(answer.get("result").is_some(), "initialize failed: {answer}");
            self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        self
    }

    /// The shipped server on a vault.
    pub fn vault(vault: &Path, arguments: &[&str]) -> Self {
        Self::vault_in(&[], vault, arguments)
    }

    /// The shipped server on a vault, with these variables in its environment.
    pub fn vault_in(environment: &[(&str, &str)], vault: &Path, arguments: &[&str]) -> Self {
        Self::vault_for(User::Agrees, environment, vault, arguments)
    }

    /// The shipped server on a vault, with these variables in its environment, for this user.
    pub fn vault_for(
        user: User,
        environment: &[(&str, &str)],
        vault: &Path,
        arguments: &[&str],
    ) -> Self {
        let vault = vault.to_str().expect("a plain path");
        let arguments = [&["serve", "--vault", vault], arguments].concat();
        let client = Self::start_in(environment, crate::program::toolwrit(), &arguments);
        client.greet(user, Era::Initialize)
    }

    /// The id of the process, for signals.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends one message.
    pub fn send(&mut self, message: &Value) {
        self.send_raw(message.to_string().as_bytes());
    }

    /// Sends one line with any content.
    pub fn send_raw(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("standard input is open");
        input.write_all(line).expect("the server reads");
        input.write_all(b"\n").expect("the server reads");
        input.flush().expect("the server reads");
    }

    /// Sends a request and returns its id without waiting.
    pub fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if self.era == Era::Stateless {
            if params.get("_meta").is_none() {
                params["_meta"] = json!({});
            }
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "tests", "version": "1"});
            meta["io.modelcontextprotocol/clientCapabilities"] = self.user.capabilities();
        }
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Waits for the answer to a request.
    pub fn finish(&mut self, id: u64) -> Value {
        let key = id.to_string();
        loop {
            if let Some(answer) = self.early.remove(&key) {
                return answer;
            }
            let message = self.next_answer();
            match message.get("id") {
                Some(id) => drop(self.early.insert(id.to_string(), message)),
                None => self.notifications.push(message),
            }
        }
    }

    /// The next message of any kind.
    pub fn next_message(&mut self) -> Value {
        self.messages.recv_timeout(TIMEOUT).expect("the server answers")
    }

    /// The next message that is not a question; the user answers questions.
    pub fn next_answer(&mut self) -> Value {
        loop {
            let message = self.next_message();
            match (message.get("id"), message.get("method")) {
                (Some(id), Some(_)) => {
                    let reply = self.user.reply(&self.content);
                    self.send(&json!({"jsonrpc": "2.0", "id": id, "result": reply}));
                }
                _ => return message,
            }
        }
    }

    /// Sends a request and waits for the answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.finish(id)
    }

    /// Sends a tool call without waiting.
    pub fn begin_call(&mut self, tool: &str, arguments: &Value) -> u64 {
        let call = json!({"name": tool, "arguments": arguments});
        let id = self.begin("tools/call", call.clone());
        self.open.insert(id, call);
        id
    }

    /// Calls a tool; the answer must be a result, which may be a failure.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> CallResult {
        let id = self.begin_call(tool, arguments);
        self.finish_call(id)
    }

    /// Waits for the result of a tool call; the user answers the server's questions meanwhile.
    pub fn finish_call(&mut self, id: u64) -> CallResult {
        let answer = self.finish(id);
        let result = answer.get("result").unwrap_or_else(|| panic!("no result: {answer}"));
        let call = self.open.remove(&id);
        if result["resultType"] == "input_required"
            && let Some(mut call) = call
        {
            let questions = result["inputRequests"].as_object().expect("questions");
            let replies = questions.keys().map(|key| (key.clone(), self.user.reply(&self.content)));
            call["inputResponses"] = replies.collect();
            call["requestState"] = result["requestState"].clone();
            let id = self.begin("tools/call", call.clone());
            self.open.insert(id, call);
            return self.finish_call(id);
        }
        CallResult(result.clone())
    }

    /// The tools that the server lists.
    pub fn tools(&mut self) -> Vec<Value> {
        let answer = self.request("tools/list", json!({}));
        answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// Closes standard input, and returns the exit code and the remaining messages.
    pub fn close(mut self) -> (Option<i32>, Vec<Value>) {
        self.input = None;
        let rest = std::iter::from_fn(|| self.messages.recv_timeout(TIMEOUT).ok()).collect();
        (end(&mut self.child).code(), rest)
    }

    /// Waits until the server ends by itself, and returns its exit code.
    pub fn wait(mut self) -> Option<i32> {
        end(&mut self.child).code()
    }

    /// Kills the server with `SIGKILL`.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it has ended");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The result of a tool call.
#[derive(Debug, Clone)]
pub struct CallResult(pub Value);

impl CallResult {
    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        self.0["isError"] == true
    }

    /// The first text block.
    pub fn text(&self) -> &str {
        self.0["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {}", self.0))
    }

    /// The first text block as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// The failure, `{code, message, ..}`.
    pub fn error(&self) -> Value {
        assert!(self.is_error(), "not a failure: {}", self.0);
        self.json()["error"].take()
    }

    /// The failure's code, or `ok`.
    pub fn code(&self) -> String {
        if !self.is_error() {
            return "ok".to_owned();
        }
        self.error()["code"].as_str().expect("a code").to_owned()
    }

    /// Takes the id by which a change of the vault is undone, which is another one each time.
    pub fn take_undo(&mut self) -> Option<String> {
        if self.is_error() {
            return None;
        }
        let mut result = serde_json::from_str::<Value>(self.text()).ok()?;
        let id = result.as_object_mut()?.remove("undo")?;
        self.0["content"][0]["text"] = result.to_string().into();
        if let Some(structured) = self.0["structuredContent"].as_object_mut() {
            structured.remove("undo");
        }
        id.as_str().map(str::to_owned)
    }

    /// The result of a call that must have succeeded.
    pub fn ok(self) -> Value {
        assert!(!self.is_error(), "failed: {}", self.text());
        self.json()
    }
}
