//! A server that was compiled from a manifest, and one that loads it, give equal answers.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{Client, Era};

use crate::bindings::api::{Blog, password};

/// A program that was compiled from `desk.yaml`.
fn compiled() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_desk"))
}

/// A program that was compiled from another manifest.
fn other() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lab"))
}

const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/loaded/desk.yaml");

/// The flags of the surfaces.
const SURFACES: [&[&str]; 5] = [
    &["--surface", "flat"],
    &["--surface", "flat", "--legacy"],
    &["--surface", "dispatch"],
    &["--surface", "dispatch", "--split", "none"],
    &["--surface", "meta"],
];

#[test]
fn a_loaded_manifest_gives_the_answers_of_a_compiled_one() {
    let blog = Blog::new();
    let folder = TempDir::new().unwrap();
    let config = folder.path().join("config.toml");
    let settings = [("url", blog.url()), ("user", "admin".to_owned())];
    let settings = settings.map(|(key, value)| format!("{key} = {value:?}\n")).concat();
    fs::write(folder.path().join("admin"), password("admin")).unwrap();
    let secret = format!("password = {{ file = {:?} }}\n", folder.path().join("admin"));
    let networks = "networks = [\"127.0.0.0/8\"]\n";
    fs::write(&config, format!("[providers.blog]\n{settings}{secret}{networks}")).unwrap();
    let config = config.to_str().unwrap();

    for (surface, era) in SURFACES.into_iter().flat_map(|s| Era::ALL.map(|era| (s, era))) {
        for policy in [&[][..], &["--role", "reader", "--focus", "looking"]] {
            let flags = [&["serve", "--config", config], surface, policy].concat();
            let loaded = [&["--manifest", MANIFEST], &flags[..]].concat();
            blog.clear();
            let expected = answers(compiled(), &flags, era);
            blog.clear();
            let answers = answers(other(), &loaded, era);
            assert_eq!(answers.len(), expected.len());
            for ((request, expected), (_, answer)) in expected.iter().zip(&answers) {
                let (answer, expected) = (comparable(answer), comparable(expected));
                assert_eq!(answer, expected, "{request} {surface:?} {era:?} {policy:?}");
            }
        }
    }
}

/// An answer without how it names the command line that calls the server, and without its own length, which depends on
/// that.
fn comparable(answer: &str) -> String {
    let answer = answer.replace(&format!("lab --manifest {MANIFEST}"), "desk");
    let (start, _) = answer.split_once(r#"\"bytes\":"#).unwrap_or((&answer, ""));
    start.to_owned()
}

impl Blog {
    /// Removes all posts. The next one has the id 1.
    fn clear(&self) {
        let mut state = self.state();
        state.posts.clear();
        state.next = 1;
    }
}

/// The answers to all requests, each after its request.
fn answers(program: &Path, flags: &[&str], era: Era) -> Vec<(String, String)> {
    let mut client = Client::connect(program, flags, era);
    let mut ask = |(method, params): (&str, Value)| {
        let request = format!("{method} {params}");
        (request, client.request(method, params).to_string())
    };
    requests(era).into_iter().map(&mut ask).collect()
}

fn requests(era: Era) -> Vec<(&'static str, Value)> {
    let hello = match era {
        Era::Initialize => "ping",
        Era::Stateless => "server/discover",
    };
    let lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    let lists = [hello].into_iter().chain(lists).map(|method| (method, json!({})));
    let prompts = [
        json!({ "name": "review", "arguments": { "week": "2026-11-23", "style": "long" } }),
        json!({ "name": "review", "arguments": { "week": "2026-11-23" } }),
        json!({ "name": "review", "arguments": { "style": "none" } }),
        json!({ "name": "review" }),
        json!({ "name": "start" }),
        json!({ "name": "end" }),
    ];
    let calls = calls()
        .into_iter()
        .map(|(name, arguments)| ("tools/call", json!({ "name": name, "arguments": arguments })));
    lists.chain(prompts.map(|params| ("prompts/get", params))).chain(calls).collect()
}

/// Calls of every surface. The tools of other surfaces are failures, which must be equal, too.
fn calls() -> Vec<(&'static str, Value)> {
    let operations = [
        ("system.introspect", json!({})),
        ("get_server_info", json!({})),
        ("become", json!({ "who": "reader" })),
        ("system.load_role", json!({ "role": "nobody" })),
        ("system.get_cookbook", json!({ "name": "start" })),
        ("system.list_roles", json!({ "more": 1 })),
        ("system.batch", json!({ "calls": [{ "tool": "system.list_cookbooks", "args": {} }] })),
        ("posts.create", json!({ "title": "Tides" })),
        ("posts.create", json!({ "title": "Ebb", "dry_run": true })),
        ("posts.create", json!({ "title": "Ebb", "status": "published" })),
        ("posts.get", json!({ "id": 1 })),
        ("posts.get", json!({ "id": 0 })),
        ("posts.get", json!({ "id": 9 })),
        ("read_post", json!({ "id": 1 })),
        ("posts.list", json!({ "limit": 5, "fields": ["posts"] })),
        ("posts.delete", json!({ "id": 1, "dry_run": true })),
        ("help", json!({})),
        ("posts.share", json!({})),
    ];
    let flat = operations.iter().map(|(id, args)| match *id {
        "system.introspect" => ("system_introspect", args.clone()),
        "posts.create" => ("posts_create", args.clone()),
        "posts.get" => ("posts_get", args.clone()),
        "posts.list" => ("posts_list", args.clone()),
        "posts.delete" => ("posts_delete", args.clone()),
        id => (id, args.clone()),
    });
    let dispatch = |tool| {
        operations.iter().map(move |(id, args)| (tool, json!({ "operation": id, "params": args })))
    };
    let meta =
        |tool| operations.iter().map(move |(id, args)| (tool, json!({ "tool": id, "args": args })));
    let others = [
        ("guides", json!({ "action": "list" })),
        ("guides", json!({ "action": "read", "name": "start" })),
        ("guides", json!({ "action": "write" })),
        ("discover", json!({})),
        ("discover", json!({ "category": "posts", "detail": "schemas" })),
        ("discover", json!({ "category": "plugins" })),
        ("introspect", json!({})),
        ("search_tools", json!({ "query": "write an article" })),
        ("search_tools", json!({ "query": "which roles are there" })),
        ("search_tools", json!({ "category": "posts" })),
        ("search_tools", json!({})),
        ("describe_tools", json!({ "tools": ["posts.list", "posts.delete", "become", "nothing"] })),
        ("context", json!({ "message": "the guide to a workflow" })),
        ("context", json!({ "message": "publish draft-12" })),
        ("context", json!({})),
    ];
    flat.chain(["posts_read", "posts_write", "posts", "system"].into_iter().flat_map(dispatch))
        .chain(["execute", "execute_read", "execute_write"].into_iter().flat_map(meta))
        .chain(others)
        .collect()
}
