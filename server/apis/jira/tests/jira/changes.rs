//! The life of an issue, on every surface and from the command line.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era, User};
use toolwrit_tests::drivers::http::Home;

use crate::program;
use crate::site::{Configured, StandIn};

/// How a surface is called.
type Caller = fn(&mut Client, &str, &Value) -> CallResult;

const SURFACES: [(&[&str], Caller); 4] = [
    (&["--surface", "flat"], |client, id, args| client.call(&id.replace('.', "_"), args)),
    (&["--surface", "dispatch", "--split", "none"], |client, id, args| {
        let (category, operation) = id.split_once('.').unwrap();
        client.call(category, &json!({ "operation": operation, "params": args }))
    }),
    (&["--surface", "meta", "--split", "none"], |client, id, args| {
        client.call("execute", &json!({ "tool": id, "args": args }))
    }),
    (&["--surface", "meta"], |client, id, args| {
        let tool = match id.rsplit('.').next().unwrap() {
            "get" | "list" | "types" | "transitions" => "execute_read",
            "delete" => "execute_delete",
            _ => "execute_write",
        };
        client.call(tool, &json!({ "tool": id, "args": args }))
    }),
];

/// Creates an issue, changes it in each way, and deletes it.
fn live(call: &mut dyn FnMut(&str, Value) -> CallResult) {
    let bug = json!({ "project": "JIRA820", "type": "Bug", "summary": "The lamp", "description": "One.\n\nTwo." });
    let key = call("issues.create", bug).ok()["key"].take();
    let other =
        call("issues.create", json!({ "project": "JIRA820", "summary": "Other" })).ok()["key"]
            .take();
    let wrong =
        call("issues.create", json!({ "project": "JIRA820", "summary": "x", "type": "Bugg" }))
            .error();
    assert_eq!((&wrong["code"], &wrong["path"]), (&json!("VALIDATION_ERROR"), &json!("/type")));

    let read = call("issues.get", json!({ "key": key })).ok();
    assert_eq!(
        (&read["summary"], &read["description"]),
        (&json!("The lamp"), &json!("One.\n\nTwo."))
    );
    let stale = json!({ "key": key, "summary": "No", "if_match": "2001-01-01" });
    assert_eq!(call("issues.update", stale).error()["code"], "CONFLICT");
    let fresh = json!({ "key": key, "summary": "The light", "if_match": read["updated"] });
    call("issues.update", fresh).ok();
    assert_eq!(call("issues.get", json!({ "key": key })).ok()["summary"], "The light");

    let moved = call("issues.transition", json!({ "key": key, "to": "In Progress" })).ok();
    assert_eq!(moved, json!({ "key": key, "status": "In Progress" }));
    let nowhere = call("issues.transition", json!({ "key": key, "to": "In Revue" })).error();
    assert_eq!((&nowhere["code"], &nowhere["path"]), (&json!("VALIDATION_ERROR"), &json!("/to")));
    assert_eq!(nowhere["did_you_mean"][0], "In Review");

    let comment = call("comments.add", json!({ "key": key, "body": "Seen." })).ok();
    assert_eq!(comment["body"], "Seen.");
    let id = &comment["id"];
    call("comments.edit", json!({ "key": key, "id": id, "body": "Mended." })).ok();
    let comments = call("comments.list", json!({ "key": key })).ok();
    assert_eq!(
        (&comments["total"], &comments["comments"][0]["body"]),
        (&json!(1), &json!("Mended."))
    );

    let link = json!({ "from": key, "type": "Blocks", "to": other });
    assert_eq!(call("links.create", link).ok()["relation"], "blocks");
    let unknown =
        call("links.create", json!({ "from": key, "type": "Block", "to": other })).error();
    assert_eq!(
        (&unknown["path"], &unknown["did_you_mean"][0]),
        (&json!("/type"), &json!("Blocks"))
    );
    let links = call("links.list", json!({ "key": key })).ok();
    assert_eq!(links["links"][0]["to"], other);

    let log = json!({ "key": key, "name": "log.txt", "content": "aGVsbG8=" });
    assert_eq!(call("attachments.add", log).ok()["size"], 5);
    let files = call("attachments.list", json!({ "key": key })).ok();
    assert_eq!(files["attachments"][0]["file_name"], "log.txt");

    let shown = call("issues.delete", json!({ "key": key, "dry_run": true })).ok();
    assert_eq!(shown["request"]["method"], "DELETE");
    assert_eq!(call("issues.delete", json!({ "key": key })).ok()["key"], key);
    assert_eq!(call("issues.get", json!({ "key": key })).error()["code"], "NOT_FOUND");
}

#[test]
fn an_issue_lives_on_every_surface() {
    let Some(jira) = StandIn::jira820() else { return };
    let configured = Configured::new(&jira.url, "admin", "any");
    for (surface, call) in SURFACES {
        for era in Era::ALL {
            let mut client = configured.client(User::Agrees, surface, era);
            live(&mut |id, args| call(&mut client, id, &args));
        }
    }
}

#[test]
fn an_issue_lives_on_the_command_line() {
    let Some(jira) = StandIn::jira820() else { return };
    let configured = Configured::new(&jira.url, "admin", "any");
    let (home, file) = (Home::new(), configured.file());
    live(&mut |id, args| {
        let args = args.to_string();
        let arguments = ["--config", &file, "call", id, "--json", "--yes", "--args", &args];
        let output = home.command(program(), &arguments).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let content = json!([{ "type": "text", "text": printed }]);
        CallResult(json!({ "isError": !output.status.success(), "content": content }))
    });
}

#[test]
fn nothing_is_deleted_without_a_confirmation() {
    let Some(jira) = StandIn::jira820() else { return };
    let configured = Configured::new(&jira.url, "admin", "any");
    for (user, code) in [(User::Declines, "CANCELLED"), (User::Absent, "CONFIRMATION_REQUIRED")] {
        for era in Era::ALL {
            let mut client = configured.client(user, &["--surface", "flat"], era);
            let refused = client.call("issues_delete", &json!({ "key": "JIRA820-1" })).error();
            assert_eq!(refused["code"], code);
            client.call("issues_get", &json!({ "key": "JIRA820-1" })).ok();
        }
    }
}

#[test]
fn sprints_are_listed_with_their_issues() {
    let Some(jira) = StandIn::jira820() else { return };
    let configured = Configured::new(&jira.url, "admin", "any");
    let mut client = configured.client(User::Agrees, &["--surface", "flat"], Era::Stateless);
    let boards = client.call("boards_list", &json!({})).ok();
    assert_eq!((&boards["total"], &boards["boards"][0]["type"]), (&json!(2), &json!("scrum")));
    let active = json!({ "board": boards["boards"][0]["id"], "states": ["active"] });
    let sprint = client.call("sprints_list", &active).ok()["sprints"][0]["id"].take();
    let issues = client.call("sprints_issues", &json!({ "id": sprint, "limit": 3 })).ok();
    assert_eq!(issues["issues"].as_array().unwrap().len(), 3);
    let moved = json!({ "issues": [issues["issues"][0]["key"]] });
    client.call("sprints_remove_issues", &moved);
    let left = client.call("sprints_issues", &json!({ "id": sprint, "limit": 3 })).ok();
    assert_eq!(left["total"].as_i64().unwrap(), issues["total"].as_i64().unwrap() - 1);
}

#[test]
fn a_sprint_is_planned_run_and_deleted() {
    let Some(jira) = StandIn::jira820() else { return };
    let configured = Configured::new(&jira.url, "admin", "any");
    for era in Era::ALL {
        let mut client = configured.client(User::Agrees, &["--surface", "flat"], era);
        let mut call = |tool: &str, args: Value| client.call(tool, &args).ok();
        let board = call("boards_list", json!({}))["boards"][0]["id"].take();
        let plan = json!({ "board": board, "name": "Tides", "goal": "Sail" });
        let sprint = call("sprints_create", plan)["id"].take();
        let read = call("sprints_get", json!({ "id": sprint }));
        assert_eq!((&read["name"], &read["state"]), (&json!("Tides"), &json!("future")));
        let changed = call("sprints_update", json!({ "id": sprint, "goal": "Row" }));
        assert_eq!((&changed["name"], &changed["goal"]), (&json!("Tides"), &json!("Row")));

        let waiting = call("boards_backlog", json!({ "board": board, "limit": 2 }));
        let keys: Vec<&Value> =
            waiting["issues"].as_array().unwrap().iter().map(|issue| &issue["key"]).collect();
        assert_eq!(keys.len(), 2, "{waiting}");
        client.call("sprints_add_issues", &json!({ "id": sprint, "issues": keys }));
        let mut call = |tool: &str, args: Value| client.call(tool, &args).ok();
        let held = call("sprints_issues", json!({ "id": sprint }));
        assert_eq!(held["total"], 2, "{held}");

        let (start, end) = ("2026-03-09T09:00:00.000+0000", "2026-03-23T09:00:00.000+0000");
        let started = call("sprints_start", json!({ "id": sprint, "start": start, "end": end }));
        assert_eq!(started["state"], "active", "{started}");
        let completed = call("sprints_complete", json!({ "id": sprint }));
        assert_eq!(completed["state"], "closed", "{completed}");
        assert_eq!(call("sprints_issues", json!({ "id": sprint }))["total"], 0);
        call("sprints_delete", json!({ "id": sprint }));
        assert_eq!(client.call("sprints_get", &json!({ "id": sprint })).code(), "NOT_FOUND");
    }
}

#[test]
fn boards_have_issues_and_epics() {
    let Some(jira) = StandIn::jira820() else { return };
    let configured = Configured::new(&jira.url, "admin", "any");
    let mut client = configured.client(User::Agrees, &["--surface", "flat"], Era::Stateless);
    let mut call = |tool: &str, args: Value| client.call(tool, &args).ok();
    let board = call("boards_list", json!({}))["boards"][0]["id"].take();
    let first = call("boards_issues", json!({ "board": board, "limit": 3 }));
    assert_eq!(first["issues"].as_array().unwrap().len(), 3, "{first}");
    let next = json!({ "board": board, "limit": 3, "cursor": first["next_cursor"] });
    assert_ne!(call("boards_issues", next)["issues"][0], first["issues"][0]);
    let epics = call("boards_epics", json!({ "board": board }));
    let epic = &epics["epics"][0]["key"];
    assert!(epic.is_string(), "{epics}");
    let issues = call("boards_epic_issues", json!({ "epic": epic }));
    assert!(issues["total"].is_u64(), "{issues}");
}
