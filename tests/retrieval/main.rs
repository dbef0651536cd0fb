//! Ranks the tools of one file for each query of another, and prints the quality.

mod data;
mod metrics;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use serde_json::json;
use toolwrit::retrieval::{Analysis, Method, ToolIndex};

use data::{Query, Tool};
use metrics::Scores;

/// Ranks the tools of one file for each query of another, and prints the quality.
#[derive(Parser)]
struct Arguments {
    /// Tools, one JSON object per line: id, name, title, description, server, tags, params, asks.
    #[arg(long)]
    tools: PathBuf,
    /// Queries, one JSON object per line: id, query, gold.
    #[arg(long)]
    queries: PathBuf,
    /// Use only this many queries from the start.
    #[arg(long)]
    cap: Option<usize>,
    /// File for the rankings, one JSON object per line: id, ranking.
    #[arg(long)]
    out: Option<PathBuf>,
    #[arg(long, value_enum, default_value = "hybrid")]
    method: MethodName,
}

#[derive(Clone, Copy, ValueEnum)]
enum MethodName {
    Bm25,
    Dense,
    Hybrid,
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Bm25 => Method::Bm25,
            MethodName::Dense => Method::Dense,
            MethodName::Hybrid => Method::Hybrid,
        }
    }
}

/// How many tools of each ranking are written and scored.
const RANKED: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    let tools: Vec<Tool> = data::lines(&arguments.tools)?;
    let mut queries: Vec<Query> = data::lines(&arguments.queries)?;
    queries.truncate(arguments.cap.unwrap_or(usize::MAX));

    let start = Instant::now();
    let documents = Analysis::from_documents(tools.iter().map(Tool::document));
    let analysed = start.elapsed();
    let index = ToolIndex::build(&documents);
    let built = start.elapsed();

    let mut out = arguments.out.map(|path| File::create(path).map(BufWriter::new)).transpose()?;
    let mut sums = Scores::default();
    let mut times = Vec::with_capacity(queries.len());
    for query in &queries {
        let start = Instant::now();
        let hits = index.rank(&query.text, arguments.method.into());
        times.push(start.elapsed());
        let ranking: Vec<&str> =
            hits.iter().take(RANKED).map(|hit| tools[hit.document].id.as_str()).collect();
        sums.add(&ranking, &query.gold);
        if let Some(out) = &mut out {
            writeln!(out, "{}", json!({ "id": query.id, "ranking": ranking }))?;
        }
    }
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    let micros = |time: Duration| round(time.as_secs_f64() * 1e6);
    let millis = |time: Duration| round(time.as_secs_f64() * 1e3);
    let report = json!({
        "tools": tools.len(),
        "queries": queries.len(),
        "H@1": sums.hit(),
        "R@5": sums.recall(),
        "MRR": sums.reciprocal_rank(),
        "nDCG@5": sums.gain(),
        "analysis_ms": millis(analysed),
        "build_ms": millis(built),
        "query_us": { "p50": micros(at(50)), "p99": micros(at(99)) },
    });
    #[expect(clippy::print_stdout, reason = "the answer of the program")]
    {
        println!("{report:#}");
    }
    Ok(())
}

fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
