//! Creating notes.

use serde_json::json;
use toolwrit_plugins::templater::{TemplateError, Templater};
use toolwrit_vault::VaultError;

use super::Notes;

#[test]
fn a_note_is_created_at_the_target() {
    let notes = Notes::new(&[(
        "Templates/Meeting.md",
        "# <% tp.file.title %>\n<% tp.file.folder(true) %>\n",
    )]);
    let done = notes.run("Meeting", json!({}), Some("Work/Kick-off")).unwrap();
    assert_eq!(done.path.unwrap().as_str(), "Work/Kick-off.md");
    assert!(done.written.unwrap().created);
    assert_eq!(notes.text("Work/Kick-off.md").unwrap(), "# Kick-off\nWork\n");
}

#[test]
fn an_existing_note_is_not_overwritten() {
    let notes = Notes::new(&[("Templates/T.md", "new"), ("A.md", "old")]);
    let error = notes.run("T", json!({}), Some("A")).unwrap_err();
    assert!(matches!(error, TemplateError::Vault(VaultError::AlreadyExists { .. })), "{error}");
    assert_eq!(notes.text("A.md").unwrap(), "old");
}

#[test]
fn a_dry_run_writes_nothing_and_sees_an_existing_target() {
    let template = "<% tp.frontmatter.status %> <% tp.file.tags %> <% tp.file.content.length %>";
    let note = "---\nstatus: done\ntags: [a, b/c]\n---\nText\n";
    let notes = Notes::new(&[("Templates/T.md", template), ("A.md", note)]);
    let done = notes.execute("T", json!({}), Some("A.md"), true).unwrap();
    assert_eq!(done.content, format!("done #a,#b/c {}", note.len()));
    assert_eq!(done.written, None);
    assert_eq!(notes.text("A.md").unwrap(), note);
    let done = notes.execute("T", json!({}), Some("B"), true).unwrap();
    assert_eq!(done.content, "undefined  0");
    assert_eq!(notes.text("B.md"), None);
}

#[test]
fn a_template_without_a_target_writes_nothing() {
    let notes = Notes::new(&[("Templates/T.md", "<% tp.file.title %>")]);
    let done = notes.run("T", json!({}), None).unwrap();
    assert_eq!((done.content.as_str(), done.path, done.written), ("Untitled", None, None));
}

#[test]
fn a_template_moves_its_own_note_only() {
    let template = "<%* await tp.file.move('Log/' + tp.date.now()); await tp.file.rename(tp.file.title + ' x') %>ok";
    let notes = Notes::new(&[("Templates/T.md", template)]);
    let done = notes.run("T", json!({}), Some("A")).unwrap();
    assert_eq!(done.path.unwrap().as_str(), "Log/2026-03-09 x.md");
    assert_eq!(notes.text("Log/2026-03-09 x.md").unwrap(), "ok");
    assert_eq!(notes.text("A.md"), None);
    let notes = Notes::new(&[("Templates/T.md", "<%* await tp.file.move('../../out') %>")]);
    notes.run("T", json!({}), Some("A")).unwrap_err();
    assert_eq!(notes.text("A.md"), None);
}

#[test]
fn templates_include_notes_and_their_parts() {
    let notes = Notes::new(&[
        (
            "Templates/T.md",
            "<% tp.file.include('[[Foot]]') %>|<% await tp.file.include('[[Deep/Facts#Two]]') %>",
        ),
        ("Templates/Foot.md", "by <% tp.file.title %>"),
        ("Deep/Facts.md", "# One\n1\n# Two\n<% 1 + 1 %>\n"),
        ("Templates/Loop.md", "<% tp.file.include('[[Loop]]') %>"),
        ("Templates/Broken.md", "ok\n<% tp.file.include('[[Bad]]') %>"),
        ("Templates/Bad.md", "a\nb <% tp.web.request('x') %>"),
    ]);
    let done = notes.run("T", json!({}), Some("A")).unwrap();
    assert_eq!(done.content, "by A|# Two\n2\n");
    let error = notes.run("Loop", json!({}), None).unwrap_err();
    assert!(
        error.to_string().ends_with("templates include each other more than 10 levels deep"),
        "{error}"
    );
    let error = notes.run("Broken", json!({}), None).unwrap_err().to_string();
    assert!(
        error.starts_with("Templates/Broken.md:2:4: Templates/Bad.md:2:6: `tp.web` is refused"),
        "{error}"
    );
}

#[test]
fn sections_are_included_as_obsidian_finds_them() {
    let include = |part: &str| {
        let template = format!("<% tp.file.include('[[Snippets#{part}]]') %>");
        let snippets =
            "# Snippets\n## Meeting\nWith\n### Next: Steps\n<% 1 + 1 %>\n## Meeting\nAgain\n";
        let notes = Notes::new(&[("Templates/T.md", &template), ("Snippets.md", snippets)]);
        notes.run("T", json!({}), None).map(|done| done.content)
    };
    let meeting = "## Meeting\nWith\n### Next: Steps\n2\n";
    for part in ["Meeting", "meeting", "Snippets#Meeting"] {
        assert_eq!(include(part).unwrap(), meeting, "{part}");
    }
    for part in ["Next Steps", "Snippets#Next Steps", "Meeting#next steps"] {
        assert_eq!(include(part).unwrap(), "### Next: Steps\n2\n", "{part}");
    }
    let error = include("Meting").unwrap_err().to_string();
    assert!(error.contains("there is no heading `Meting` in the note"), "{error}");
}

#[test]
fn placeholders_of_the_core_plugin_work() {
    let notes = Notes::new(&[
        (
            "Templates/T.md",
            "{{title}} {{date}} {{time}} {{date:dddd [at] HH}} {{other}} {{<% 1 %>}}",
        ),
        (".obsidian/templates.json", r#"{"folder": "Elsewhere", "dateFormat": "DD.MM.YYYY"}"#),
    ]);
    let done = notes.run("T", json!({}), Some("A")).unwrap();
    assert_eq!(done.content, "A 09.03.2026 14:05 Monday at 14 {{other}} {{1}}");
}

#[test]
fn the_core_plugin_alone_sets_the_folder() {
    let folder = tempfile::TempDir::new().unwrap();
    let vault = toolwrit_vault::Vault::open(folder.path()).unwrap();
    assert!(matches!(Templater::open(&vault), Err(TemplateError::NoFolder)));
    std::fs::create_dir_all(folder.path().join(".obsidian")).unwrap();
    std::fs::create_dir_all(folder.path().join("My/Forms")).unwrap();
    std::fs::write(folder.path().join(".obsidian/templates.json"), r#"{"folder": "My/Forms/"}"#)
        .unwrap();
    std::fs::write(folder.path().join("My/Forms/T.md"), "x").unwrap();
    let templates = Templater::open(&vault).unwrap().templates(&|| false).unwrap();
    assert_eq!(templates.iter().map(|template| template.name.as_str()).collect::<Vec<_>>(), ["T"]);
}

#[test]
fn broken_settings_are_reported_by_their_file() {
    let notes = Notes::new(&[(".obsidian/plugins/templater/data.json", "{")]);
    let error = notes.run("T", json!({}), None).unwrap_err().to_string();
    assert!(error.contains(".obsidian/plugins/templater/data.json: EOF"), "{error}");
}

#[test]
fn an_unknown_template_names_similar_ones() {
    let notes = Notes::new(&[("Templates/Sub/Meeting.md", "x")]);
    let Err(TemplateError::NotFound { similar, .. }) = notes.run("Sub/Meting", json!({}), None)
    else {
        panic!("it is found")
    };
    assert_eq!(similar, ["Sub/Meeting"]);
    assert_eq!(notes.run("Templates/Sub/Meeting.md", json!({}), None).unwrap().content, "x");
}
