//! Requests in users' words find their tools among those of seventeen servers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};
use toolwrit_tests::client::Era;
use toolwrit_tests::program::workspace;

use crate::scripted::{table, write};
use crate::{Host, Setup};

/// Requests, and the operations that are right.
const REQUESTS: &str = include_str!("requests.yaml");

/// The lists of tools, by the name of the upstream.
fn lists() -> BTreeMap<String, Vec<Value>> {
    let folder = workspace().join("tests/upstreams/lists");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let lists = files.filter(|path| path.extension().is_some_and(|own| own == "json"));
    lists
        .map(|path| {
            let list: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, list["tools"].as_array().unwrap().clone())
        })
        .collect()
}

/// The ids that a search finds, best first.
fn search(host: &mut Host, request: &str) -> Vec<String> {
    let found = host.client.call("search_tools", &json!({ "query": request })).ok();
    // `git.git_log(..) -> ..` is `git.git_log`.
    let id = |line: &Value| line.as_str().unwrap().split('(').next().unwrap().to_owned();
    found["results"].as_array().unwrap().iter().map(id).collect()
}

#[test]
fn requests_find_their_tools_among_three_hundred() {
    let setup = Setup::new("");
    let folder = setup.folder.path();
    let (lists, mut config) = (lists(), String::new());
    assert!(lists.values().map(Vec::len).sum::<usize>() >= 300);
    for (name, tools) in &lists {
        let own = folder.join(name);
        fs::create_dir(&own).unwrap();
        config += &table(name, &write(&own, tools), "trust_annotations = true");
    }
    fs::write(&setup.config, config).unwrap();
    for name in lists.keys() {
        setup.approve(name);
    }
    let mut host = setup.serve("meta", Era::Initialize);
    let requests: BTreeMap<String, Vec<String>> = serde_yaml::from_str(REQUESTS).unwrap();
    let (mut first, mut tenth, mut missed) = (0, 0, String::new());
    for (request, right) in &requests {
        for id in right {
            let (server, tool) = id.split_once('.').unwrap();
            assert!(lists[server].iter().any(|own| own["name"] == tool), "there is no {id}");
        }
        let found = search(&mut host, request);
        let rank = found.iter().position(|id| right.contains(id));
        first += usize::from(rank == Some(0));
        tenth += usize::from(rank.is_some_and(|rank| rank < 10));
        if rank != Some(0) {
            writeln!(missed, "{request}: {rank:?} {:?}, not {right:?}", found.get(..3)).unwrap();
        }
    }
    let all = requests.len();
    // The texts of others have no requests of users. The operations that the project ships have, and are found better.
    assert!(first * 100 >= all * 55, "first in {first} of {all}:\n{missed}");
    assert!(tenth * 100 >= all * 90, "among the first ten in {tenth} of {all}:\n{missed}");
    host.client.close();

    let asks = "asks = { API-patch-block-children = \"write below the paragraph about whales\" }";
    let table = table("notion", &folder.join("notion/tools.json"), asks);
    fs::write(&setup.config, table).unwrap();
    let mut host = setup.serve("meta", Era::Initialize);
    let found = search(&mut host, "put a text under the paragraph about whales");
    assert_eq!(found.first().map(String::as_str), Some("notion.API-patch-block-children"));
}
