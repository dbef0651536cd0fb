//! Searching, overviews and analyses.

use jiff::SignedDuration;
use serde_json::{Value, json};
use toolwrit_project::{
    Analysis, Archived, Direction, EntityKind, Filters, Finding, GroupBy, Health, OverviewOptions,
    Scope, Selection, WorkCount,
};

use crate::{Sandbox, id, never, parse_time};

/// A milestone with two stories and five tasks, of which T-003 waits for T-002, and that for T-001.
fn launch() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.made("milestone", json!({ "title": "Launch", "workstream": "Web" }));
    sandbox.made("story", json!({ "title": "Sign up", "parent": "M-001" }));
    sandbox.made("story", json!({ "title": "Billing", "parent": "M-001", "workstream": "money" }));
    let task = |data: Value| sandbox.made("task", data);
    task(json!({ "title": "Form", "parent": "S-001", "status": "in_progress" }));
    task(json!({ "title": "Mail", "parent": "S-001", "depends_on": "T-001", "tags": ["io/mail"] }));
    task(json!({ "title": "Welcome mail", "parent": "S-001", "depends_on": "T-002" }));
    task(json!({ "title": "Invoice", "parent": "S-002", "status": "completed" }));
    task(json!({ "title": "Reminder", "parent": "S-002", "priority": "high" }));
    sandbox.update("T-004", json!({ "enables": ["T-005"] })).unwrap();
    sandbox
}

fn found(sandbox: &Sandbox, scope: &Scope, filters: &Filters) -> Vec<String> {
    let found = sandbox.workspace().search(scope, filters, None, &never).unwrap();
    found.ids.iter().map(ToString::to_string).collect()
}

fn related_scope(from: &str, direction: Direction, depth: Option<usize>) -> Scope {
    Scope::Related { from: id(from), direction, depth }
}

#[test]
fn words_find_entities_by_title_and_text() {
    let sandbox = launch();
    sandbox.put(
        "T-006",
        "---\nid: T-006\ntype: task\ntitle: Other\nstatus: todo\n---\nmail mail mail welcome\n",
    );
    let words = |words: &str| found(&sandbox, &Scope::Words(words.to_owned()), &Filters::default());
    assert_eq!(words("welcome mail")[0], "T-003");
    assert!(words("welcome").contains(&"T-006".to_owned()));
    assert_eq!(words("invoice"), ["T-004"]);
    assert_eq!(words("zebra"), [""; 0]);
    let empty = Sandbox::new();
    assert_eq!(found(&empty, &Scope::Words("mail".to_owned()), &Filters::default()), [""; 0]);
}

#[test]
fn filters_keep_what_matches_all_of_them() {
    let sandbox = launch();
    sandbox.update("T-005", json!({ "archived": true })).unwrap();
    let all = |filters: Filters| found(&sandbox, &Scope::All, &filters);
    let none = Filters::default;
    assert_eq!(all(none()).len(), 7);
    assert_eq!(all(Filters { kinds: vec![EntityKind::Story], ..none() }), ["S-001", "S-002"]);
    let statuses = vec!["In Progress".to_owned(), "completed".to_owned()];
    assert_eq!(all(Filters { statuses, ..none() }), ["T-001", "T-004"]);
    // The workstream of an entity above counts.
    let workstreams = vec!["web".to_owned()];
    let of_web = Filters { workstreams: workstreams.clone(), ..none() };
    assert_eq!(all(of_web), ["M-001", "S-001", "T-001", "T-002", "T-003"]);
    assert_eq!(all(Filters { archived: Archived::Only, ..none() }), ["T-005"]);
    assert_eq!(all(Filters { archived: Archived::Include, ..none() }).len(), 8);
    assert_eq!(all(Filters { tag: Some("#IO".to_owned()), ..none() }), ["T-002"]);
    assert_eq!(all(Filters { tag: Some("i".to_owned()), ..none() }), [""; 0]);
    let kinds = vec![EntityKind::Task];
    let statuses = vec!["todo".to_owned()];
    assert_eq!(all(Filters { kinds, statuses, workstreams, ..none() }), ["T-002", "T-003"]);
}

#[test]
fn relations_lead_up_down_aside_and_to_dependencies() {
    let sandbox = launch();
    let none = Filters::default();
    let go =
        |from, direction, depth| found(&sandbox, &related_scope(from, direction, depth), &none);
    assert_eq!(go("T-003", Direction::Up, None), ["S-001", "M-001"]);
    assert_eq!(go("T-003", Direction::Up, Some(1)), ["S-001"]);
    let below = ["S-001", "S-002", "T-001", "T-002", "T-003", "T-004", "T-005"];
    assert_eq!(go("M-001", Direction::Down, None), below);
    assert_eq!(go("M-001", Direction::Down, Some(1)), ["S-001", "S-002"]);
    assert_eq!(go("T-002", Direction::Siblings, None), ["T-001", "T-003"]);
    assert_eq!(go("T-003", Direction::Dependencies, None), ["T-002", "T-001"]);
    assert_eq!(go("T-005", Direction::Dependencies, None), ["T-004"]);
    let up = sandbox.workspace().search(
        &related_scope("T-003", Direction::Up, None),
        &none,
        None,
        &never,
    );
    let expected = "Welcome mail (T-003) > Sign up (S-001) > Launch (M-001)";
    assert_eq!(up.unwrap().path_description.unwrap(), expected);
    let error = sandbox.workspace().search(
        &related_scope("T-009", Direction::Up, None),
        &none,
        None,
        &never,
    );
    assert_eq!(error.unwrap_err().to_string(), "there is no T-009 in the workspace");
}

#[test]
fn selected_fields_of_what_was_found_are_returned_in_order() {
    let sandbox = launch();
    let select = |fields: &[&str]| {
        let ids = [id("T-002"), id("T-009"), id("S-001")];
        sandbox.workspace().select(&ids, &Selection::from_names(fields), &never)
    };
    let selected = Value::from(
        select(&["id", "tags"]).unwrap().into_iter().map(Value::Object).collect::<Vec<_>>(),
    );
    assert_eq!(
        selected,
        json!([{ "id": "T-002", "tags": ["io/mail"] }, { "id": "S-001", "tags": [] }])
    );
    let error = select(&["titel"]).unwrap_err();
    assert_eq!(error.to_string(), "there is no field `titel`; did you mean title?");
}

#[test]
fn an_overview_counts_and_groups() {
    let sandbox = launch();
    sandbox.made("decision", json!({ "title": "x", "status": "decided" }));
    sandbox.made("document", json!({ "title": "x" }));
    sandbox.made("task", json!({ "title": "old", "archived": true }));
    let overview =
        |options: OverviewOptions| sandbox.workspace().overview(&options, &never).unwrap();
    let all = overview(OverviewOptions::default());
    let tasks = WorkCount { total: 5, completed: 1, in_progress: 1, blocked: 0 };
    assert_eq!(all.summary.tasks, tasks);
    assert_eq!((all.summary.milestones.total, all.summary.stories.total), (1, 2));
    assert_eq!((all.summary.decisions, all.summary.decided, all.summary.pending), (1, 1, 0));
    assert_eq!((all.summary.documents, all.summary.draft, all.summary.approved), (1, 1, 0));
    let names: Vec<_> =
        all.workstreams.iter().map(|workstream| workstream.name.as_deref()).collect();
    assert_eq!(names, [Some("money"), Some("Web"), None]);
    assert_eq!(all.workstreams[0].tasks, [id("T-005")]);
    assert_eq!(all.groups, None);
    let options = OverviewOptions {
        workstream: Some("money".to_owned()),
        group_by: GroupBy::Priority,
        include_completed: true,
        include_archived: false,
        ..OverviewOptions::default()
    };
    let money = overview(options);
    assert_eq!(money.summary.tasks.total, 2);
    let groups = vec![("high", vec![id("T-005")]), ("none", vec![id("S-002"), id("T-004")])];
    let groups: Vec<_> = groups.into_iter().map(|(name, ids)| (name.to_owned(), ids)).collect();
    assert_eq!(money.groups.unwrap(), groups);
}

#[test]
fn health_says_whether_work_can_go_on() {
    let sandbox = launch();
    let health = || {
        let overview = sandbox.workspace().overview(&OverviewOptions::default(), &never).unwrap();
        let web = overview
            .workstreams
            .into_iter()
            .find(|workstream| workstream.name.as_deref() == Some("Web"));
        web.map(|workstream| (workstream.health, workstream.reason)).unwrap()
    };
    let (state, reason) = health();
    let expected = "2 of 5 open items wait for others: T-002, T-003";
    assert_eq!((state, reason.as_str()), (Health::Healthy, expected));
    sandbox.update("T-001", json!({ "status": "blocked" })).unwrap();
    let (state, reason) = health();
    let expected = "3 of 5 open items cannot go on: T-001, T-002, T-003";
    assert_eq!((state, reason.as_str()), (Health::AtRisk, expected));
    for parent in ["M-001", "S-001"] {
        sandbox.update(parent, json!({ "status": "blocked" })).unwrap();
    }
    assert_eq!(health().0, Health::Blocked);
}

fn analysis(sandbox: &Sandbox) -> Analysis {
    let now = parse_time("2026-03-21T12:00:00Z");
    sandbox.workspace().analyze(now, SignedDuration::from_hours(14 * 24), None, &never).unwrap()
}

fn finding(ids: &[&str], reason: &str) -> Finding {
    Finding { ids: ids.iter().map(|text| id(text)).collect(), reason: reason.to_owned() }
}

#[test]
fn an_analysis_finds_what_stands_in_the_way() {
    let sandbox = launch();
    sandbox.made("task", json!({ "title": "Alone", "priority": "low" }));
    sandbox.set_file_times("2026-01-01T00:00:00Z");
    let analysis = analysis(&sandbox);
    let expected = [finding(&["T-001", "T-002", "T-003"], "T-001 is open and holds up 2")];
    assert_eq!(analysis.blockers, expected);
    assert_eq!(
        analysis.ready,
        [
            finding(&["T-005"], "what it depends on is done"),
            finding(&["T-006"], "it depends on nothing"),
        ]
    );
    let stale = [finding(&["T-001"], "in_progress for 20 days without a change")];
    assert_eq!(analysis.stale, stale);
    assert_eq!(analysis.orphans, [finding(&["T-006"], "the task has no parent")]);
    let reason = "3 open entities, of which each waits for the one before";
    let longest = finding(&["T-001", "T-002", "T-003"], reason);
    assert_eq!(analysis.critical_path, Some(longest));
    let missing = analysis.missing_fields.iter().find(|finding| finding.ids == [id("T-006")]);
    assert_eq!(missing.unwrap().reason, "it has no workstream");
    assert_eq!(analysis.contradictions, []);
    assert_eq!(analysis.problems, []);
}

#[test]
fn an_analysis_finds_contradictions() {
    let sandbox = launch();
    sandbox.update("S-001", json!({ "status": "completed" })).unwrap();
    sandbox.update("T-003", json!({ "status": "completed" })).unwrap();
    sandbox.update("S-002", json!({ "archived": true })).unwrap();
    sandbox.put("A", "---\nid: DEC-001\ntype: decision\ntitle: x\nstatus: superseded\n---\n");
    sandbox.put(
        "B",
        "---\nid: DEC-002\ntype: decision\ntitle: x\nstatus: decided\nsupersedes: DEC-003\n---\n",
    );
    sandbox.put("C", "---\nid: DEC-003\ntype: decision\ntitle: x\nstatus: pending\nsuperseded_by: DEC-001\n---\n");
    assert_eq!(
        analysis(&sandbox).contradictions,
        [
            finding(
                &["S-001", "T-001", "T-002"],
                "S-001 is done, and below it are open: T-001, T-002"
            ),
            finding(&["T-003", "T-002"], "T-003 is done, and before it are open: T-002"),
            finding(&["T-005", "S-002"], "T-005 is open, and its parent S-002 is archived"),
            finding(&["DEC-001"], "DEC-001 is superseded, and does not say by what"),
            finding(&["DEC-002", "DEC-003"], "DEC-002 supersedes DEC-003, which does not say so"),
            finding(
                &["DEC-003", "DEC-001"],
                "DEC-003 is superseded by DEC-001, which does not say so"
            ),
        ]
    );
}

#[test]
fn cycles_made_by_hand_end_every_search_and_analysis() {
    let sandbox = Sandbox::new();
    let task = |id: &str, other: &str| {
        format!(
            "---\nid: {id}\ntype: task\ntitle: x\nstatus: todo\nparent: {other}\ndepends_on: {other}\n---\n"
        )
    };
    sandbox.put("T-001", &task("T-001", "T-002"));
    sandbox.put("T-002", &task("T-002", "T-001"));
    for direction in [Direction::Up, Direction::Down, Direction::Dependencies] {
        let found = found(&sandbox, &related_scope("T-001", direction, None), &Filters::default());
        assert_eq!(found, ["T-002"], "{direction:?}");
    }
    let analysis = analysis(&sandbox);
    assert_eq!((analysis.blockers, analysis.ready), (vec![], vec![]));
    assert_eq!(analysis.critical_path, None);
    assert_eq!(analysis.problems.len(), 2);
    let overview = sandbox.workspace().overview(&OverviewOptions::default(), &never).unwrap();
    assert_eq!(overview.workstreams[0].health, Health::Blocked);
    let archived = sandbox.workspace().archive(id("T-001"), true, None, sandbox.now, &never);
    assert_eq!(archived.unwrap().len(), 2);
}
