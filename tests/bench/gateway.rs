//! What upstreams cost: a call through the gateway beside the direct one and beside one through `FastMCP` as a gateway,
//! with the same driver, alternating in the same run; and what twenty upstreams add to the start and to memory. Prints
//! Markdown tables; asserts nothing, because a build must not fail on a busy machine. `tests/bench/peers/install` installs
//! the server and the other gateway.
#![expect(clippy::print_stdout, reason = "a benchmark")]
#![expect(clippy::unwrap_used, reason = "a benchmark whose servers do not start must fail")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use toolwrit_tests::drivers::benchmark::{Figures, HEAD, Subject, Way, line, ratio};
use toolwrit_tests::memory;
use toolwrit_tests::program::{released, workspace};
use toolwrit_tests::requirement::{Need, met};

const ROUNDS: usize = 9;
/// Starts of which the median is taken.
const STARTS: usize = 15;
/// Upstreams in the second measurement.
const UPSTREAMS: usize = 20;

fn peers() -> PathBuf {
    workspace().join("tests/bench/peers")
}

fn python() -> PathBuf {
    peers().join(".venv/bin/python")
}

/// A server on the TypeScript SDK.
fn fast() -> [String; 2] {
    ["node".to_owned(), peers().join("echo.mjs").to_str().unwrap().to_owned()]
}

/// A server on the Python SDK.
fn slow() -> [String; 2] {
    [python(), peers().join("echo.py")].map(|path| path.to_str().unwrap().to_owned())
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// The server behind `FastMCP`.
fn other_gateway(words: &[String]) -> Command {
    let mut command = Command::new(python());
    command.arg(peers().join("proxy.py")).args(words);
    command
}

/// A gateway with upstreams, which are approved.
struct Gateway {
    program: PathBuf,
    folder: TempDir,
}

impl Gateway {
    fn new(program: &Path, words: &[String], upstreams: usize) -> Self {
        let own = Self { program: program.to_owned(), folder: TempDir::new().unwrap() };
        let mut config = String::new();
        for n in 0..upstreams {
            let table = "effects = { lab_echo = \"read\" }";
            writeln!(config, "[upstreams.{}]\ncommand = {words:?}\n{table}\n", name(n)).unwrap();
        }
        fs::write(own.folder.path().join("config.toml"), config).unwrap();
        if upstreams > 0 {
            let approved = own.run(&["upstream", "approve", "up", "--yes"]).output().unwrap();
            assert!(approved.status.success(), "{}", String::from_utf8_lossy(&approved.stderr));
        }
        for n in 1..upstreams {
            let file = |n| own.folder.path().join(format!("upstreams/{}.lock.yaml", name(n)));
            fs::copy(file(0), file(n)).unwrap();
        }
        own
    }

    fn run(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).arg("--config").arg(self.folder.path().join("config.toml"));
        command.env_remove("TOOLWRIT_VAULT").env("TOOLWRIT_DATA_DIR", self.folder.path());
        command
    }

    fn serve(&self) -> Command {
        self.run(&["serve", "--surface", "flat"])
    }
}

/// The name of an upstream.
fn name(n: usize) -> String {
    if n == 0 { "up".to_owned() } else { format!("up{n}") }
}

fn main() {
    let installed = peers();
    let (sdk, python) = (installed.join("node_modules/@modelcontextprotocol/sdk"), python());
    let needs = [
        Need::Program(Path::new("node"), (20, 0)),
        Need::File(&sdk),
        Need::Program(&python, (3, 11)),
    ];
    if !met(&needs, "tests/bench/peers/install") {
        return;
    }
    let program = released("toolwrit");
    calls("TypeScript SDK", &program, &fast(), 4_000);
    calls("FastMCP", &program, &slow(), 500);
    starts(&program);
}

/// Compares a call through gateways with the direct one.
fn calls(sdk: &str, program: &Path, words: &[String], calls: usize) {
    let gateway = Gateway::new(program, words, 1);
    let mut subjects = [
        Subject::start(Way::Stdio, |_| command(words)),
        Subject::serving("up_lab_echo", Way::Stdio, |_| gateway.serve()),
        Subject::start(Way::Stdio, |_| other_gateway(words)),
    ];
    let counts = [calls, calls, calls / 10];
    let mut figures: [Figures; 3] = Default::default();
    // The first round is a warm-up.
    for (subject, calls) in subjects.iter_mut().zip(counts) {
        subject.call_once();
        Figures::default().round(subject, calls);
    }
    for _ in 0..ROUNDS {
        for ((subject, figures), calls) in subjects.iter_mut().zip(&mut figures).zip(counts) {
            figures.round(subject, calls);
        }
    }
    let [direct, toolwrit, other] = figures.map(|figures| figures.row());
    println!("\nA server on the {sdk}\n\n{HEAD}");
    println!("{}", line("direct", direct));
    println!("{}", line("through toolwrit", toolwrit));
    println!("{}", line("through FastMCP", other));
    println!("{}", ratio("toolwrit / direct", toolwrit, direct));
    println!("{}", ratio("FastMCP / direct", other, direct));
}

/// What upstreams add to the start and to memory. The processes of the upstreams are not counted.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn starts(program: &Path) {
    let gateways =
        [Gateway::new(program, &fast(), 1), Gateway::new(program, &fast(), 1 + UPSTREAMS)];
    let mut times: [Vec<Duration>; 2] = Default::default();
    let mut memory: [Vec<u64>; 2] = Default::default();
    for _ in 0..STARTS {
        for ((gateway, times), memory) in gateways.iter().zip(&mut times).zip(&mut memory) {
            let mut subject = Subject::serving("up_lab_echo", Way::Stdio, |_| gateway.serve());
            times.push(subject.first_answer);
            subject.call_once();
            // All upstreams have begun before the last of them, and take about as long.
            std::thread::sleep(Duration::from_secs(3));
            memory.push(memory::resident(subject.pid()).unwrap_or_default());
        }
    }
    let [one, many] = times.map(|mut times| {
        times.sort_unstable();
        times[STARTS / 2].as_secs_f64() * 1e3
    });
    let [small, large] = memory.map(|mut memory| {
        memory.sort_unstable();
        memory[STARTS / 2] as f64 / 1024.0 / 1024.0
    });
    println!("\n| upstreams | start to first answer | memory |\n|---|---|---|");
    println!("| 1 | {one:.1} ms | {small:.1} MiB |");
    println!("| {} | {many:.1} ms | {large:.1} MiB |", 1 + UPSTREAMS);
    let each = (large - small) / UPSTREAMS as f64;
    println!("| {UPSTREAMS} more | {:.1} ms | {each:.2} MiB each |", many - one);
}
