//! What replicas cost: the processor time of a call on one, two and three of them, with that of the database, beside one server
//! with a file; for reads, and for writes with an idempotency key. All alternate in one run. Prints Markdown tables; asserts
//! nothing, because a build must not fail on a busy machine.
#![expect(clippy::print_stdout, reason = "a benchmark")]
#![expect(clippy::unwrap_used, reason = "a benchmark whose clients fail must fail")]

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread::scope;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwrit_tests::cluster::{Caller, Cluster, Lone, keyed};
use toolwrit_tests::drivers::benchmark::processor_time;

const ROUNDS: usize = 7;
/// Clients at once.
const CLIENTS: usize = 8;
/// Calls of a subject in each round.
const READS: usize = 4_000;
const WRITES: usize = 800;

/// The parameters of the call with this number.
type Calls = fn(usize) -> Value;

/// Servers under the same load.
struct Subject<'a> {
    name: String,
    callers: Vec<Caller>,
    servers: Vec<u32>,
    database: Option<&'a Cluster>,
    rounds: Vec<Round>,
}

/// Microseconds of a call.
#[derive(Clone, Copy)]
struct Round {
    p50: f64,
    servers: f64,
    database: f64,
    calls_per_second: f64,
}

impl Subject<'_> {
    fn processor_time(&self) -> [f64; 2] {
        let servers = self.servers.iter().copied().map(processor_time).sum();
        let database = self.database.map(|cluster| cluster.database.processes());
        [servers, database.into_iter().flatten().map(processor_time).sum()]
    }

    /// Makes calls by several clients, over all servers in turn.
    fn round(&mut self, calls: Calls, (first, count): (usize, usize)) {
        let next = AtomicUsize::new(first);
        let (before, begun) = (self.processor_time(), Instant::now());
        let work = || {
            let mut times = Vec::new();
            while let Some(n) = Some(next.fetch_add(1, SeqCst)).filter(|n| *n < first + count) {
                let asked = Instant::now();
                self.callers[n % self.callers.len()].result(calls(n)).ok();
                times.push(asked.elapsed());
            }
            times
        };
        let mut times: Vec<Duration> = scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(work)).collect();
            clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
        });
        let (after, took) = (self.processor_time(), begun.elapsed());
        times.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "figures for people")]
        let count = count as f64;
        self.rounds.push(Round {
            p50: times[times.len() / 2].as_secs_f64() * 1e6,
            servers: (after[0] - before[0]) / count * 1e6,
            database: (after[1] - before[1]) / count * 1e6,
            calls_per_second: count / took.as_secs_f64(),
        });
    }

    /// The medians of the rounds, as a row.
    fn row(&self) -> String {
        let median = |of: fn(&Round) -> f64| {
            let mut figures: Vec<f64> = self.rounds.iter().map(of).collect();
            figures.sort_unstable_by(f64::total_cmp);
            figures[figures.len() / 2]
        };
        format!(
            "| {} | {:.0} | {:.0} | {:.0} | {:.0} |",
            self.name,
            median(|round| round.p50),
            median(|round| round.servers),
            median(|round| round.database),
            median(|round| round.calls_per_second)
        )
    }
}

fn subjects<'a>(lone: &Lone, cluster: &'a Cluster) -> Vec<Subject<'a>> {
    let file = Subject {
        name: "one server, SQLite".to_owned(),
        callers: vec![lone.caller()],
        servers: vec![lone.server.child.id()],
        database: None,
        rounds: Vec::new(),
    };
    let replicas = (1..=3).map(|count| Subject {
        name: format!("{count} on PostgreSQL"),
        callers: (0..count).map(|replica| cluster.caller(replica)).collect(),
        // Those without calls renew their leases, and hear of changes.
        servers: (0..3).map(|replica| cluster.server(replica).child.id()).collect(),
        database: Some(cluster),
        rounds: Vec::new(),
    });
    std::iter::once(file).chain(replicas).collect()
}

fn measure(what: &str, calls: Calls, count: usize, mut subjects: Vec<Subject<'_>>) {
    let mut first = 0;
    for _ in 0..ROUNDS {
        for subject in &mut subjects {
            subject.round(calls, (first, count));
            first += count;
        }
    }
    println!("\n{what}, {CLIENTS} at once:\n");
    println!(
        "| servers | p50 us | CPU us/call, servers | database | calls/s |\n|---|---|---|---|---|"
    );
    for subject in &subjects {
        println!("{}", subject.row());
    }
}

fn main() {
    let Some(cluster) = Cluster::start(&["--queue", "1000"]) else { return };
    let lone = Lone::start(&["--queue", "1000"]);
    let read: Calls = |_| json!({"name": "clerk_who", "arguments": {}});
    let write: Calls = |n| keyed("ledger_append", &json!({"line": n.to_string()}), &n.to_string());
    measure("Reads", read, READS, subjects(&lone, &cluster));
    measure("Writes with a key", write, WRITES, subjects(&lone, &cluster));
}
