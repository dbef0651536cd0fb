//! Requests in users' words find their tools among those of seventeen servers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::program::workspace;
use toolwrit_tests::vaults;

use crate::upstreams::scripted::{table, table_as, write};
use crate::upstreams::{Host, Setup};

/// Requests, and the operations that are right.
const REQUESTS: &str = include_str!("requests.yaml");
const MORE_REQUESTS: &str = include_str!("more_requests.yaml");
/// Queries for the operations of the project.
const PARAPHRASES: &str = include_str!("../discovery/paraphrases.yaml");
const MIXED: &str = include_str!("../discovery/mixed.yaml");

/// What a server lists.
struct List {
    /// Its package, with the version.
    package: String,
    tools: Vec<Value>,
}

/// The lists, by the name of the upstream.
fn lists() -> BTreeMap<String, List> {
    let folder = workspace().join("tests/upstreams/lists");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let lists = files.filter(|path| path.extension().is_some_and(|own| own == "json"));
    lists
        .map(|path| {
            let list: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = |key: &str| list[key].as_str().unwrap();
            let package = format!("{}@{}", text("package"), text("version"));
            (name, List { package, tools: list["tools"].as_array().unwrap().clone() })
        })
        .collect()
}

/// Writes the tools of each server into a folder of its own.
fn write_all(folder: &Path, lists: &BTreeMap<String, List>) {
    for (name, list) in lists {
        fs::create_dir(folder.join(name)).unwrap();
        write(&folder.join(name), &list.tools);
    }
}

/// The ids that a search finds, best first.
fn search(host: &mut Host, request: &str) -> Vec<String> {
    let found = host.client.call("search_tools", &json!({ "query": request })).ok();
    // `git.git_log(..) -> ..` is `git.git_log`.
    let id = |line: &Value| line.as_str().unwrap().split('(').next().unwrap().to_owned();
    found["results"].as_array().unwrap().iter().map(id).collect()
}

/// How many requests find a right operation first, and among the first three and ten, in percent, rounded down.
struct Found {
    first: usize,
    three: usize,
    ten: usize,
    /// The others, for a reader.
    missed: String,
}

fn find(host: &mut Host, requests: &BTreeMap<String, Vec<String>>) -> Found {
    let (mut ranks, mut missed) = (Vec::new(), String::new());
    for (request, right) in requests {
        let found = search(host, request);
        let rank = found.iter().position(|id| right.contains(id));
        if rank != Some(0) {
            writeln!(missed, "{request}: {rank:?} {:?}, not {right:?}", found.get(..3)).unwrap();
        }
        ranks.push(rank);
    }
    let among = |most: usize| {
        let found = ranks.iter().filter(|rank| rank.is_some_and(|rank| rank < most));
        found.count() * 100 / ranks.len()
    };
    Found { first: among(1), three: among(3), ten: among(10), missed }
}

#[test]
fn requests_find_their_tools_among_three_hundred() {
    let setup = Setup::new("");
    let folder = setup.folder.path();
    let lists = lists();
    assert!(lists.values().map(|list| list.tools.len()).sum::<usize>() >= 300);
    write_all(folder, &lists);
    let requests: BTreeMap<String, Vec<String>> = serde_yaml::from_str(REQUESTS).unwrap();
    let mut all: BTreeMap<String, Vec<String>> = serde_yaml::from_str(MORE_REQUESTS).unwrap();
    all.extend(requests.clone());
    for id in all.values().flatten() {
        let (server, tool) = id.split_once('.').unwrap();
        assert!(lists[server].tools.iter().any(|own| own["name"] == tool), "there is no {id}");
    }
    let tools = |name: &str| folder.join(name).join("tools.json");
    let more = "trust_annotations = true";

    // Servers that nobody knows are found by their texts.
    let unknown = lists.keys().map(|name| table(name, &tools(name), more));
    fs::write(&setup.config, unknown.collect::<String>()).unwrap();
    for name in lists.keys() {
        setup.approve(name);
    }
    let mut host = setup.serve("meta", Era::Initialize);
    for (requests, first, ten) in [(&requests, 55, 90), (&all, 38, 76)] {
        let found = find(&mut host, requests);
        assert!(found.first >= first, "first in {} %:\n{}", found.first, found.missed);
        assert!(found.ten >= ten, "among the first ten in {} %:\n{}", found.ten, found.missed);
    }

    // Those of well-known servers are found by how users ask for their tools.
    let known = lists.iter().map(|(name, list)| table_as(name, &list.package, &tools(name), more));
    fs::write(&setup.config, known.collect::<String>()).unwrap();
    // An approval is for a command.
    for name in lists.keys() {
        setup.approve(name);
    }
    let mut host = setup.serve("meta", Era::Initialize);
    for (requests, first, three) in [(&requests, 90, 96), (&all, 80, 92)] {
        let found = find(&mut host, requests);
        assert!(found.first >= first, "first in {} %:\n{}", found.first, found.missed);
        assert!(found.three >= three, "among three in {} %:\n{}", found.three, found.missed);
    }
}

#[test]
fn the_asks_for_these_servers_are_for_tools_that_they_have() {
    let file = workspace().join("server/remote/gateway/src/upstreams/asks/asks.json");
    let servers: Vec<Value> = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    for list in lists().values() {
        let (package, _) = list.package.rsplit_once('@').unwrap();
        let listed: BTreeSet<&str> =
            list.tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let is_own = |own: &&Value| own["places"].as_array().unwrap().contains(&package.into());
        let tools = servers.iter().find(is_own).unwrap()["tools"].as_object().unwrap();
        let asked: BTreeSet<&str> = tools.keys().map(String::as_str).collect();
        assert_eq!(asked, listed, "{package}");
    }
}

#[test]
fn the_requests_of_an_operator_find_a_tool() {
    let setup = Setup::new("");
    let tools = write(setup.folder.path(), &lists()["notion"].tools);
    let asks = "asks = { API-patch-block-children = \"write below the paragraph about whales\" }";
    fs::write(&setup.config, table("notion", &tools, asks)).unwrap();
    setup.approve("notion");
    let mut host = setup.serve("meta", Era::Initialize);
    let found = search(&mut host, "put a text under the paragraph about whales");
    assert_eq!(found.first().map(String::as_str), Some("notion.API-patch-block-children"));
}

#[test]
fn the_operations_of_the_project_are_found_beside_three_hundred() {
    let setup = Setup::new("");
    let folder = setup.folder.path();
    let lists = lists();
    write_all(folder, &lists);
    let tools = |name: &str| folder.join(name).join("tools.json");
    let unknown: String = lists.keys().map(|name| table(name, &tools(name), "")).collect();
    fs::write(&setup.config, &unknown).unwrap();
    for name in lists.keys() {
        setup.approve(name);
    }
    let vault = vaults::empty();
    let vault = ["--vault", vault.path().to_str().unwrap()];
    let mut requests = BTreeMap::new();
    for queries in [PARAPHRASES, MIXED] {
        let queries: BTreeMap<String, Vec<String>> = serde_yaml::from_str(queries).unwrap();
        for (operation, queries) in queries {
            // There is no plugin, and no active file.
            if !operation.starts_with("plugin.") && !operation.starts_with("active.") {
                requests.extend(queries.into_iter().map(|query| (query, vec![operation.clone()])));
            }
        }
    }
    // Some of the others do the same: `filesystem.move_file` renames a file, too.
    let known: String =
        lists.iter().map(|(name, list)| table_as(name, &list.package, &tools(name), "")).collect();
    for (tables, first, three) in [(unknown, 83, 95), (known, 76, 90)] {
        fs::write(&setup.config, tables).unwrap();
        let found = find(&mut setup.serve_with("meta", Era::Initialize, &vault), &requests);
        assert!(found.first >= first, "first in {} %:\n{}", found.first, found.missed);
        assert!(
            found.three >= three,
            "among the first three in {} %:\n{}",
            found.three,
            found.missed
        );
    }
}
