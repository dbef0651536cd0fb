//! Drives servers for benchmarks: the same echo over the same transport by the same program, so that only
//! the server differs.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use serde_json::{Value, json};

use crate::program::workspace;

/// Concurrent calls in the second measurement.
pub const IN_FLIGHT: usize = 32;

const TEXT: &str = "hello from the benchmark";

/// The transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Lines on standard streams.
    Stdio,
    /// Streamable HTTP on kept connections.
    Http,
}

impl Way {
    /// Both transports.
    pub const ALL: [Way; 2] = [Way::Stdio, Way::Http];

    /// Its name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Way::Stdio => "stdio",
            Way::Http => "HTTP",
        }
    }
}

/// A running server that has answered once.
pub struct Subject {
    child: Child,
    /// The address over HTTP.
    port: Option<u16>,
    wires: Vec<Wire>,
    /// The tool that is called.
    tool: &'static str,
    /// The time from its start to its first answer.
    pub first_answer: Duration,
}

impl Subject {
    /// Starts a program that serves the tool `lab_echo`: on standard streams, or at `/mcp` on the port that
    /// `command` gets.
    pub fn start(way: Way, command: impl FnOnce(Option<u16>) -> Command) -> Self {
        Self::serving("lab_echo", way, command)
    }

    /// Starts a program that serves the same tool by another name.
    pub fn serving(
        tool: &'static str,
        way: Way,
        command: impl FnOnce(Option<u16>) -> Command,
    ) -> Self {
        let port = (way == Way::Http).then(free_port);
        let begun = Instant::now();
        let mut command = command(port);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut wires = match port {
            None => vec![Wire::pipe(&mut child)],
            Some(port) => (0..IN_FLIGHT).map(|_| Wire::connect(port, &mut child)).collect(),
        };
        let session = wires[0].begin();
        let first_answer = begun.elapsed();
        for wire in &mut wires {
            wire.session.clone_from(&session);
        }
        Self { child, port, wires, tool, first_answer }
    }

    /// Reconnects: servers close idle connections after some seconds, as happens while other servers are
    /// measured.
    fn wake(&mut self) {
        let Some(port) = self.port else { return };
        for wire in &mut self.wires {
            let session = wire.session.take();
            *wire = Wire::connect(port, &mut self.child);
            wire.session = session;
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Makes a call, and returns once it is answered. An upstream may have to start for it.
    pub fn call_once(&mut self) -> Duration {
        self.one_by_one(1)[0]
    }

    fn cpu(&self) -> f64 {
        processor_time(self.child.id())
    }

    /// Makes calls one after the other, and returns the time of each.
    fn one_by_one(&mut self, calls: usize) -> Vec<Duration> {
        let wire = &mut self.wires[0];
        let call = call(self.tool, 1);
        (0..calls)
            .map(|_| {
                let begun = Instant::now();
                wire.send(&call);
                wire.receive();
                begun.elapsed()
            })
            .collect()
    }

    /// Makes calls with [`IN_FLIGHT`] at once. Returns the total time, and the processor time of the driver.
    fn many_at_once(&mut self, calls: usize) -> (Duration, Duration) {
        let requests: Vec<Vec<u8>> =
            (0..calls).map(|id| self.wires[0].request(&call(self.tool, id))).collect();
        let (begun, own) = (Instant::now(), own_processor_time());
        let (mut requests, mut answers) = (requests.iter(), 0);
        let mut send = |wire: &mut Wire, count| {
            let together: Vec<&[u8]> = requests.by_ref().take(count).map(Vec::as_slice).collect();
            wire.write(&together.concat());
        };
        let each = IN_FLIGHT / self.wires.len();
        self.wires.iter_mut().for_each(|wire| send(wire, each));
        for at in (0..self.wires.len()).cycle() {
            let wire = &mut self.wires[at];
            let count = wire.receive_what_is_there();
            answers += count;
            if answers == calls {
                break;
            }
            send(wire, count);
        }
        (begun.elapsed(), own_processor_time().saturating_sub(own))
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// User and system time of a process so far in seconds, from the process table.
pub fn processor_time(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
    // The kernel counts in hundredths of a second.
    (ticks(11) + ticks(12)) / 100.0
}

/// User and system time of this process so far.
fn own_processor_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let times = [usage.user_time(), usage.system_time()];
    let microseconds = times.map(|time| time.num_microseconds().unsigned_abs());
    Duration::from_micros(microseconds.iter().sum())
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn call(tool: &str, id: usize) -> Value {
    let params = json!({"name": tool, "arguments": {"text": TEXT}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// One stream of requests and answers.
struct Wire {
    input: Box<dyn Write>,
    output: BufReader<Box<dyn Read>>,
    is_http: bool,
    /// The session id over HTTP, if the server assigned one.
    session: Option<String>,
    answer: Vec<u8>,
}

impl Wire {
    fn pipe(child: &mut Child) -> Self {
        let input = Box::new(child.stdin.take().unwrap());
        Self::new(input, Box::new(child.stdout.take().unwrap()), false)
    }

    /// Connects to a server that may not listen yet.
    fn connect(port: u16, child: &mut Child) -> Self {
        let stream = loop {
            match TcpStream::connect(("127.0.0.1", port)) {
                Ok(stream) => break stream,
                Err(_) => assert!(child.try_wait().unwrap().is_none(), "the server has ended"),
            }
        };
        stream.set_nodelay(true).unwrap();
        Self::new(Box::new(stream.try_clone().unwrap()), Box::new(stream), true)
    }

    fn new(input: Box<dyn Write>, output: Box<dyn Read>, is_http: bool) -> Self {
        let output = BufReader::new(output);
        Self { input, output, is_http, session: None, answer: Vec::new() }
    }

    /// Completes initialization. Returns the id of the session, if the server opened one.
    fn begin(&mut self) -> Option<String> {
        self.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }}));
        let session = self.read();
        self.session.clone_from(&session);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        if self.is_http {
            self.read();
        }
        session
    }

    fn send(&mut self, message: &Value) {
        self.write(&self.request(message));
    }

    /// A message as it is written.
    fn request(&self, message: &Value) -> Vec<u8> {
        let mut text = message.to_string();
        if self.is_http {
            let mut head = format!(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 accept: application/json, text/event-stream\r\ncontent-length: {}\r\n",
                text.len()
            );
            if let Some(session) = &self.session {
                write!(head, "mcp-session-id: {session}\r\n").unwrap();
            }
            text = format!("{head}\r\n{text}");
        } else {
            text.push('\n');
        }
        text.into_bytes()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
        self.input.flush().unwrap();
    }

    /// Reads the answer to one call and those that arrived with it, and returns their number.
    fn receive_what_is_there(&mut self) -> usize {
        let mut count = 0;
        loop {
            self.receive();
            count += 1;
            if !self.output.buffer().contains(&b'\n') {
                return count;
            }
        }
    }

    /// The answer to a call.
    fn receive(&mut self) {
        self.read();
        let text = String::from_utf8_lossy(&self.answer);
        assert!(text.contains(TEXT), "{text}");
    }

    /// The next answer, and its session id.
    fn read(&mut self) -> Option<String> {
        self.answer.clear();
        if !self.is_http {
            self.output.read_until(b'\n', &mut self.answer).unwrap();
            return None;
        }
        let (mut length, mut session) = (None, None);
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else {
                if line.is_empty() {
                    break;
                }
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = Some(value.trim().parse().unwrap()),
                "mcp-session-id" => session = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        match length {
            Some(length) => self.take(length),
            None => self.chunks(),
        }
        session
    }

    fn chunks(&mut self) {
        loop {
            let size = usize::from_str_radix(&self.line(), 16).unwrap();
            self.take(size);
            self.line();
            if size == 0 {
                return;
            }
        }
    }

    fn take(&mut self, bytes: usize) {
        let begin = self.answer.len();
        self.answer.resize(begin + bytes, 0);
        self.output.read_exact(&mut self.answer[begin..]).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the connection has ended");
        line.trim_end().to_owned()
    }
}

/// The measurements of one server, round by round.
#[derive(Default)]
pub struct Figures {
    rounds: Vec<Round>,
}

#[derive(Clone, Copy)]
struct Round {
    p50: f64,
    cpu: f64,
    rate: f64,
    crowded_cpu: f64,
    driver_cpu: f64,
}

impl Figures {
    /// Makes this many calls one by one, and this many with [`IN_FLIGHT`] at once.
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    pub fn round(&mut self, subject: &mut Subject, calls: usize) {
        subject.wake();
        let before = subject.cpu();
        let mut latencies = subject.one_by_one(calls);
        let between = subject.cpu();
        let (crowded, driver) = subject.many_at_once(calls);
        let after = subject.cpu();
        latencies.sort_unstable();
        let count = calls as f64;
        self.rounds.push(Round {
            p50: latencies[calls / 2].as_secs_f64() * 1e6,
            cpu: (between - before) / count * 1e6,
            rate: count / crowded.as_secs_f64(),
            crowded_cpu: (after - between) / count * 1e6,
            driver_cpu: driver.as_secs_f64() / count * 1e6,
        });
    }

    /// p50 in microseconds and CPU microseconds per call, one by one; calls per second and CPU microseconds
    /// per call, of the server and of the driver, many at once. Each from the cheaper half of its rounds, because
    /// other work on the machine only adds cost.
    pub fn row(&self) -> [f64; 5] {
        self.summary(|figures| {
            let half = figures.len().div_ceil(2);
            #[expect(clippy::cast_precision_loss, reason = "figures for people")]
            let mean = figures[..half].iter().sum::<f64>() / half as f64;
            mean
        })
    }

    /// The same figures, each the median of its rounds.
    pub fn medians(&self) -> [f64; 5] {
        self.summary(|figures| figures[figures.len() / 2])
    }

    /// The figures in the order of a row, each from its rounds with the cheapest first.
    fn summary(&self, of: impl Fn(&[f64]) -> f64) -> [f64; 5] {
        let figure = |figure: fn(&Round) -> f64| {
            let mut figures: Vec<f64> = self.rounds.iter().map(figure).collect();
            figures.sort_unstable_by(f64::total_cmp);
            of(&figures)
        };
        let time_per_call = figure(|round| 1.0 / round.rate);
        [
            figure(|round| round.p50),
            figure(|round| round.cpu),
            1.0 / time_per_call,
            figure(|round| round.crowded_cpu),
            figure(|round| round.driver_cpu),
        ]
    }
}

/// The head of a table of [`Figures::row`]s.
pub const HEAD: &str = "| server | p50 us, 1 in flight | CPU us/call | calls/s, 32 in flight | CPU us/call | driver |\n\
                        |---|---|---|---|---|---|";

/// A row of the table.
pub fn line(name: &str, [p50, cpu, rate, crowded, driver]: [f64; 5]) -> String {
    format!("| {name} | {p50:.1} | {cpu:.1} | {rate:.0} | {crowded:.1} | {driver:.1} |")
}

/// A row with the ratios of two rows.
pub fn ratio(name: &str, row: [f64; 5], of: [f64; 5]) -> String {
    let ratios: Vec<String> =
        row.iter().zip(of).map(|(figure, other)| format!("{:.2}", figure / other)).collect();
    format!("| {name} | {} |", ratios.join(" | "))
}

/// The folder of the programs that cargo builds with the benchmark.
pub fn own_folder() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    here.parent().and_then(Path::parent).unwrap().to_owned()
}

/// Two folders of programs that a benchmark's arguments name: builds of the same programs, to compare. Relative
/// to the workspace. `None` without arguments.
pub fn builds() -> Option<[PathBuf; 2]> {
    // Cargo adds a flag, and a number is the size of a benchmark.
    let is_folder = |word: &String| !word.starts_with('-') && word.parse::<usize>().is_err();
    let words = std::env::args().skip(1).filter(is_folder);
    let folders: Vec<PathBuf> = words.map(|folder| workspace().join(folder)).collect();
    (!folders.is_empty()).then(|| folders.try_into().expect("the folders of two builds"))
}

/// The laboratory of a folder of programs, with a data folder that `cargo clean` removes.
pub fn laboratory_in(folder: &Path, port: Option<u16>) -> Command {
    let mut command = Command::new(folder.join("lab"));
    command.args(["serve", "--surface", "flat"]);
    if let Some(port) = port {
        command.args(["--http", &format!("127.0.0.1:{port}")]);
    }
    command.env("TOOLWRIT_DATA_DIR", folder.join("bench-data"));
    command
}

/// The laboratory beside the benchmark.
pub fn laboratory(port: Option<u16>) -> Command {
    laboratory_in(&own_folder(), port)
}
