//! What the engine adds to rmcp: the same echo through the full pipeline and on rmcp alone, same
//! driver, same run, alternating. Prints a Markdown table of ratios; asserts nothing, as a busy
//! machine must not fail a build.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const ROUNDS: usize = 15;
const CALLS: usize = 4_000;

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
    first_answer: Duration,
}

impl Server {
    fn start(program: &str, arguments: &[&str]) -> Self {
        let begun = Instant::now();
        let mut child = Command::new(sibling(program))
            .args(arguments)
            .env("TOOLWRIT_DATA_DIR", env!("CARGO_TARGET_TMPDIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let first_answer = Duration::ZERO;
        let mut server = Self { child, input, output, line: String::new(), first_answer };
        server.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }}));
        server.receive();
        server.first_answer = begun.elapsed();
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    fn write(&mut self, line: &[u8]) {
        self.input.write_all(line).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> &str {
        self.line.clear();
        self.output.read_line(&mut self.line).unwrap();
        &self.line
    }

    /// User and system time so far, from the process table.
    fn cpu(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
        // The kernel counts in hundredths of a second.
        (ticks(11) + ticks(12)) / 100.0
    }

    /// Calls one after the other; the time of each.
    fn one_by_one(&mut self, calls: usize) -> Vec<Duration> {
        let line = call(1);
        (0..calls)
            .map(|_| {
                let begun = Instant::now();
                self.write(&line);
                assert!(self.receive().contains("hello"), "{}", self.line);
                begun.elapsed()
            })
            .collect()
    }

    /// Calls with so many in flight; how long all of them took.
    fn in_flight(&mut self, calls: usize, window: usize) -> Duration {
        let begun = Instant::now();
        for id in 0..window {
            self.write(&call(id + 10));
        }
        for id in window..calls {
            assert!(self.receive().contains("hello"));
            self.write(&call(id + 10));
        }
        for _ in 0..window {
            assert!(self.receive().contains("hello"));
        }
        begun.elapsed()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn call(id: usize) -> Vec<u8> {
    let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": "lab_echo", "arguments": {"text": "hello from the benchmark"},
    }});
    format!("{call}\n").into_bytes()
}

/// Cargo builds the package's programs beside the benchmark's own folder.
fn sibling(program: &str) -> PathBuf {
    let here = std::env::current_exe().unwrap();
    here.parent().and_then(Path::parent).unwrap().join(program)
}

#[derive(Default)]
struct Figures {
    latencies: Vec<Duration>,
    latency_cpu: f64,
    flood: Duration,
    flood_cpu: f64,
    first_answer: Vec<Duration>,
}

impl Figures {
    fn round(&mut self, server: &mut Server) {
        let before = server.cpu();
        self.latencies.extend(server.one_by_one(CALLS));
        let between = server.cpu();
        self.flood += server.in_flight(CALLS, 32);
        self.latency_cpu += between - before;
        self.flood_cpu += server.cpu() - between;
    }

    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    fn row(&mut self) -> [f64; 5] {
        self.latencies.sort_unstable();
        self.first_answer.sort_unstable();
        let calls = (ROUNDS * CALLS) as f64;
        [
            self.latencies[self.latencies.len() / 2].as_secs_f64() * 1e6,
            self.latency_cpu / calls * 1e6,
            calls / self.flood.as_secs_f64(),
            self.flood_cpu / calls * 1e6,
            self.first_answer[self.first_answer.len() / 2].as_secs_f64() * 1e3,
        ]
    }
}

fn main() {
    let lab = ["serve", "--surface", "flat"];
    let (mut bare, mut engine) = (Figures::default(), Figures::default());
    for _ in 0..ROUNDS {
        bare.first_answer.push(Server::start("bare", &[]).first_answer);
        engine.first_answer.push(Server::start("lab", &lab).first_answer);
    }
    let (mut bare_server, mut lab_server) =
        (Server::start("bare", &[]), Server::start("lab", &lab));
    bare_server.one_by_one(CALLS);
    lab_server.one_by_one(CALLS);
    for _ in 0..ROUNDS {
        bare.round(&mut bare_server);
        engine.round(&mut lab_server);
    }
    let (bare, engine) = (bare.row(), engine.row());
    println!(
        "| server | p50 us, 1 in flight | CPU us/call | calls/s, 32 in flight | CPU us/call | start to first answer ms |"
    );
    println!("|---|---|---|---|---|---|");
    for (name, row) in [("bare rmcp", bare), ("toolwrit", engine)] {
        let [p50, cpu, rate, flood, first] = row;
        println!("| {name} | {p50:.1} | {cpu:.1} | {rate:.0} | {flood:.1} | {first:.1} |");
    }
    let ratio: Vec<String> =
        bare.iter().zip(engine).map(|(bare, engine)| format!("{:.2}", engine / bare)).collect();
    println!("| ratio | {} |", ratio.join(" | "));
}
