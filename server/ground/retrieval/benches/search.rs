//! What a search costs among the 304 tools of 17 servers, for the requests that the tests of upstreams have.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use toolwrit_retrieval::{Analyst, ToolDocument, ToolIndex};

const ROUNDS: usize = 50;

fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."))
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The asks of each tool, by the package of its server.
fn asks() -> BTreeMap<String, Value> {
    let servers = json(&workspace().join("server/remote/gateway/src/upstreams/asks/asks.json"));
    let places = |server: &Value| {
        let tools = server["tools"].clone();
        let places = server["places"].as_array().unwrap().clone();
        places.into_iter().map(move |place| (place.as_str().unwrap().to_owned(), tools.clone()))
    };
    servers.as_array().unwrap().iter().flat_map(places).collect()
}

fn index() -> (ToolIndex, usize) {
    let asks = asks();
    let mut analyst = Analyst::default();
    let mut analyses = Vec::new();
    let mut files: Vec<_> =
        fs::read_dir(workspace().join("tests/upstreams/lists")).unwrap().collect();
    files.sort_by_key(|file| file.as_ref().unwrap().path());
    let paths = files.into_iter().map(|file| file.unwrap().path());
    for list in paths.filter(|path| path.extension().is_some_and(|own| own == "json")) {
        let list = json(&list);
        let own = asks.get(list["package"].as_str().unwrap());
        for tool in list["tools"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let (name, description) = (text(&tool["name"]), text(&tool["description"]));
            let asks = own.and_then(|own| own[&name].as_array()).into_iter().flatten();
            let asks: Vec<String> = asks.map(text).collect();
            analyses.push(analyst.analyse(&ToolDocument {
                name: &name,
                description: &description,
                asks: asks.iter().map(String::as_str).collect(),
                ..ToolDocument::default()
            }));
        }
    }
    (ToolIndex::build(&analyses), analyses.len())
}

fn main() {
    let start = Instant::now();
    let (index, tools) = index();
    let built = start.elapsed();
    let requests = fs::read_to_string(workspace().join("tests/upstreams/requests.yaml")).unwrap();
    let requests: BTreeMap<String, Vec<String>> = serde_yaml::from_str(&requests).unwrap();
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        for request in requests.keys() {
            let start = Instant::now();
            std::hint::black_box(index.search(request));
            times.push(start.elapsed());
        }
    }
    times.sort_unstable();
    let at = |percent: usize| micros(times[times.len() * percent / 100]);
    println!("{tools} tools, {} requests, read and indexed in {built:.0?}", requests.len());
    println!("a search: p50 {} µs, p95 {} µs", at(50), at(95));
}

fn micros(time: Duration) -> u128 {
    time.as_micros()
}
