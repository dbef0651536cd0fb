//! Creating, changing, finding and analysing entities.

use serde_json::json;

use crate::project::{Session, all};

/// A milestone with a story, two tasks of which the second depends on the first, and another task.
fn planned() -> Session {
    let mut project = Session::new();
    project.made("milestone", json!({"title": "Beta", "workstream": "web"}));
    project.made("story", json!({"title": "Sign up", "parent": "M-001"}));
    project.made("task", json!({"title": "Draw the form", "parent": "S-001", "priority": "high"}));
    let second = json!({"title": "Send the mail", "parent": "S-001", "depends_on": ["T-001"]});
    project.made("task", second);
    project.made("task", json!({"title": "Water the plants", "workstream": "office"}));
    project
}

#[test]
fn entities_are_notes_with_ids_of_their_kind() {
    let mut project = Session::new();
    for (kind, id) in [
        ("milestone", "M-001"),
        ("story", "S-001"),
        ("task", "T-001"),
        ("decision", "DEC-001"),
        ("document", "DOC-001"),
        ("task", "T-002"),
    ] {
        assert_eq!(project.made(kind, json!({"title": "x"})), id);
        let note = project.text(&format!("Projects/{id}.md"));
        assert!(note.starts_with(&format!("---\nid: {id}\ntype: {kind}\ntitle: x\n")), "{note}");
    }
}

#[test]
fn fields_are_set_removed_and_put_aside() {
    let mut project = planned();
    project.update("T-001", json!({"status": "In Progress", "priority": null, "tags": ["ui"]}));
    let fields = ["status", "priority", "tags", "title"];
    let task = json!({
        "status": "in_progress", "priority": null, "tags": ["ui"], "title": "Draw the form",
    });
    assert_eq!(project.get("T-001", &fields), task);

    let found = |project: &mut Session, archived: bool| {
        let filters = json!({"type": ["task"], "archived": archived});
        let found = project.call("search_entities", json!({"filters": filters})).ok();
        all(&found["results"], "id").join(" ")
    };
    project.update("T-003", json!({"archived": true}));
    assert_eq!(
        (found(&mut project, false), found(&mut project, true)),
        ("T-001 T-002".into(), "T-003".into())
    );
    assert!(project.path("Projects/T-003.md").is_file());
    project.update("T-003", json!({"archived": false}));
    assert_eq!(found(&mut project, false), "T-001 T-002 T-003");
}

#[test]
fn relations_are_followed_in_every_direction() {
    let mut project = planned();
    for (from, direction, expected, description) in [
        ("T-002", "up", "S-001 M-001", "Send the mail (T-002) > Sign up (S-001) > Beta (M-001)"),
        ("M-001", "down", "S-001 T-001 T-002", "below Beta (M-001)"),
        ("T-001", "siblings", "T-002", "beside Draw the form (T-001), in Sign up (S-001)"),
        ("T-002", "dependencies", "T-001", "before Send the mail (T-002)"),
    ] {
        let call = json!({"from_id": from, "direction": direction});
        let found = project.call("search_entities", call).ok();
        assert_eq!(all(&found["results"], "id").join(" "), expected);
        assert_eq!(found["path_description"], description);
        assert_eq!(found["total_matches"], expected.split(' ').count());
    }
    let near = json!({"from_id": "M-001", "direction": "down", "depth": 1, "fields": ["title"]});
    let near = project.call("search_entities", near).ok();
    assert_eq!(near["results"], json!([{"title": "Sign up"}]));
}

#[test]
fn pages_of_a_search_follow_each_other() {
    let mut project = planned();
    for number in 0..10 {
        project.made("task", json!({"title": format!("Paint wall {number}")}));
    }
    let (mut seen, mut cursor) = (Vec::new(), json!(null));
    for _ in 0..4 {
        let mut call = json!({"query": "paint wall", "limit": 3, "fields": ["id"]});
        if cursor.is_string() {
            call["cursor"] = cursor;
        }
        let found = project.call("search_entities", call).ok();
        assert_eq!(found["total_matches"], 10);
        seen.extend(all(&found["results"], "id").into_iter().map(str::to_owned));
        cursor = found["next_cursor"].clone();
    }
    assert!(cursor.is_null(), "{cursor}");
    seen.sort_unstable();
    let expected: Vec<String> = (4..14).map(|number| format!("T-{number:03}")).collect();
    assert_eq!(seen, expected);
}

#[test]
fn the_overview_counts_and_groups() {
    let mut project = planned();
    project.update("T-001", json!({"status": "completed"}));
    project.update("T-003", json!({"status": "blocked"}));
    let overview = project.call("get_project_overview", json!({})).ok();
    let tasks = json!({"total": 3, "completed": 1, "in_progress": 0, "blocked": 1});
    assert_eq!(overview["summary"]["tasks"], tasks);
    assert_eq!(all(&overview["workstreams"], "name"), ["office", "web"]);
    assert_eq!(all(&overview["workstreams"], "health"), ["blocked", "healthy"]);
    // What is done is only counted.
    assert_eq!(all(&overview["workstreams"][1]["tasks"], "id"), ["T-002"]);

    let call = json!({"workstream": "WEB", "group_by": "type", "include_completed": true});
    let detail = project.call("get_project_overview", call).ok()["workstream_detail"].take();
    assert_eq!((&detail["name"], &detail["grouped_by"]), (&json!("web"), &json!("type")));
    let groups: Vec<&String> = detail["groups"].as_object().unwrap().keys().collect();
    assert_eq!(groups, ["milestone", "story", "task"]);
    assert_eq!(all(&detail["groups"]["task"], "id"), ["T-002", "T-001"]);
}

#[test]
fn the_analysis_says_what_holds_up_and_what_can_begin() {
    let mut project = planned();
    let analysis = project.call("analyze_project_state", json!({})).ok();
    assert_eq!(analysis["blockers"][0]["ids"], json!(["T-001", "T-002"]));
    assert_eq!(analysis["critical_path"]["ids"], json!(["T-001", "T-002"]));
    assert_eq!(analysis["ready"][0]["ids"], json!(["T-001"]));
    assert_eq!(analysis["orphans"][0]["ids"], json!(["T-003"]));

    project.update("T-001", json!({"status": "completed"}));
    project.update("S-001", json!({"status": "completed"}));
    let analysis = project.call("analyze_project_state", json!({"limit": 1})).ok();
    assert_eq!(analysis["contradictions"][0]["ids"], json!(["S-001", "T-002"]));
    let (ready, counted) = (&analysis["ready"], &analysis["counts"]["ready"]);
    // The milestone has no open story any more, so it can go on, too.
    assert_eq!((ready.as_array().unwrap().len(), counted), (1, &json!(3)));
}

#[test]
fn an_edit_by_hand_wins_over_a_change_of_an_older_version() {
    let mut project = planned();
    let etag = project.get("T-001", &["etag"])["etag"].clone();
    let note = project.text("Projects/T-001.md");
    let edited = note.replace("priority: high", "priority: high # agreed with Ines\nestimate: 3");
    project.write("Projects/T-001.md", &edited);

    let call = json!({"id": "T-001", "data": {"status": "completed"}, "if_match": etag});
    let error = project.call("update_entity", call).error();
    assert_eq!((&error["code"], &error["path"]), (&json!("CONFLICT"), &json!("/if_match")));
    assert_eq!(project.text("Projects/T-001.md"), edited);

    // Based on no version, a change touches only its fields.
    project.update("T-001", json!({"status": "completed"}));
    let changed = project.text("Projects/T-001.md");
    assert!(changed.contains("priority: high # agreed with Ines\nestimate: 3\n"), "{changed}");
    assert!(changed.contains("status: completed\n"), "{changed}");
}

#[test]
fn new_entities_are_placed_on_a_canvas_beside_each_other() {
    let mut project = planned();
    let options = json!({"add_to_canvas": true, "canvas_source": "Projects/Plan.canvas"});
    for title in ["One", "Two"] {
        let data = json!({"title": title, "depends_on": ["T-001"]});
        let call = json!({"type": "task", "data": data, "options": options});
        project.call("create_entity", call).ok();
    }
    let canvas: serde_json::Value =
        serde_json::from_str(&project.text("Projects/Plan.canvas")).unwrap();
    assert_eq!(all(&canvas["nodes"], "file"), ["Projects/T-004.md", "Projects/T-005.md"]);
    let place =
        |node: usize| (canvas["nodes"][node]["x"].clone(), canvas["nodes"][node]["y"].clone());
    assert_ne!(place(0), place(1));
}
