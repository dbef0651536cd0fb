//! What a bound call costs beside reqwest alone: CPU time of this process for the same requests, whose answers are
//! read into the same results. The API is another process.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints, and fails if its API does"
)]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use toolwrit_bindings::model::{Api, Operation};
use toolwrit_bindings::{Call, Connection, ConnectionOptions, Environment, Settings};
use toolwrit_test_servers::http::{HttpServer, json_response};

/// Requests of one measurement.
const CALLS: u32 = 2_000;
/// How often each is measured, alternately. The least time counts.
const ROUNDS: usize = 9;
/// The variable that makes this program the API.
const SERVING: &str = "BENCH_API";

fn main() {
    if env::var_os(SERVING).is_some() {
        serve();
    }
    let (api, address) = start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure(&address));
    drop(api);
}

/// The process that is the API. It ends with this one.
struct ApiProcess(Child);

impl Drop for ApiProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start() -> (ApiProcess, String) {
    let mut command = Command::new(env::current_exe().unwrap());
    let mut api = command.env(SERVING, "1").stdout(Stdio::piped()).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(api.stdout.take().unwrap()).read_line(&mut address).unwrap();
    (ApiProcess(api), address.trim().to_owned())
}

/// Answers every request with the same post, until the process ends.
fn serve() -> ! {
    let post = json!({
        "id": 7, "title": { "raw": "Tides", "rendered": "Tides" }, "status": "publish",
        "link": "https://blog.example/tides", "modified_gmt": "2026-05-01T10:00:00",
        "content": { "raw": "The tide comes in. ".repeat(60), "protected": false },
        "_links": { "self": [{ "href": "https://blog.example/wp-json/wp/v2/posts/7" }] },
    });
    let server = HttpServer::in_turn(vec![json_response(200, &post)]);
    println!("{}", server.address());
    loop {
        std::thread::park();
    }
}

fn tables() -> (Api, Operation) {
    let value = |name: &str| json!({ "value": { "root": { "argument": name } } });
    let api = json!({
        "name": "blog",
        "settings": [{ "name": "url" }, { "name": "user" }, { "name": "password", "sensitive": true }],
        "base": { "setting": "url" },
        "auth": { "basic": { "user": "user", "password": "password" } },
    });
    let text = |name: &str, path: Value| json!({ "name": name, "shape": "text", "read": { "body": [path] } });
    let operation = json!({
        "id": "posts.get",
        "request": {
            "method": "get",
            "path": [{ "text": "/posts/" }, value("id")],
            "query": [{ "entry": { "name": "context", "value": { "literal": "edit" } } }],
        },
        "result": { "read": { "body": [[]] }, "shape": { "object": [
            { "name": "id", "shape": "integer" },
            { "name": "status", "shape": "text" },
            text("title", json!(["title", "raw"])),
            text("content", json!(["content", "raw"])),
            text("modified", json!(["modified_gmt"])),
        ] } },
    });
    (serde_json::from_value(api).unwrap(), serde_json::from_value(operation).unwrap())
}

async fn measure(address: &str) {
    let (table, operation) = tables();
    let base = format!("http://{address}/wp/v2");
    let given = json!({ "url": base, "user": "admin", "password": { "env": "KEY" } });
    let Value::Object(given) = given else { unreachable!() };
    let environment = BTreeMap::from([("KEY".to_owned(), "secret".to_owned())]);
    let settings = Settings::parse(
        &table.name,
        &table.settings,
        given,
        Environment::from_variables(environment),
    )
    .unwrap();
    let options = ConnectionOptions {
        networks: vec!["127.0.0.0/8".parse().unwrap()],
        ..ConnectionOptions::default()
    };
    let connection = Connection::new(Cow::Owned(table), settings, &options).unwrap();
    let client = reqwest::Client::new();
    let (mut bound_times, mut bare_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = cpu();
        for _ in 0..CALLS {
            let post = bare_call(&client, &base).await;
            assert_eq!(post["title"], "Tides");
        }
        bare_times.push(cpu().saturating_sub(start));
        let start = cpu();
        for _ in 0..CALLS {
            let post = bound_call(&connection, &operation).await;
            assert_eq!(post["title"], "Tides");
        }
        bound_times.push(cpu().saturating_sub(start));
    }
    let least =
        |times: &[Duration]| times.iter().min().unwrap().as_secs_f64() * 1e6 / f64::from(CALLS);
    let (bound, alone) = (least(&bound_times), least(&bare_times));
    println!("{alone:6.1} µs of CPU time for reqwest alone");
    println!("{bound:6.1} µs for a bound call: {:.2} times", bound / alone);
}

async fn bound_call(connection: &Connection, operation: &Operation) -> Value {
    let arguments = Map::from_iter([("id".to_owned(), Value::from(7))]);
    let call = Call {
        arguments: &arguments,
        numbers: &toolwrit_bindings::WrittenNumbers::default(),
        account: None,
        page: None,
        dry_run: false,
        deadline: Instant::now() + Duration::from_secs(30),
        cancellation: CancellationToken::new(),
    };
    connection.call(operation, &call).await.unwrap().value
}

async fn bare_call(client: &reqwest::Client, base: &str) -> Value {
    let request = client
        .get(format!("{base}/posts/7?context=edit"))
        .header("accept", "application/json")
        .basic_auth("admin", Some("secret"))
        .timeout(Duration::from_secs(30));
    let answer = request.send().await.unwrap().error_for_status().unwrap();
    let post: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    json!({
        "id": post["id"].as_i64().unwrap(),
        "status": post["status"].as_str().unwrap(),
        "title": post["title"]["raw"].as_str().unwrap(),
        "content": post["content"]["raw"].as_str().unwrap(),
        "modified": post["modified_gmt"].as_str().unwrap(),
    })
}

/// The CPU time of this process so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}
