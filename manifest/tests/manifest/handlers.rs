//! Models without the operations that need a handler, and what a load says about its files.

use std::{fs, io};

use toolwrit_manifest::{Authority, Model, emit, has_changed, load, load_sources};

const DESK: &str = "toolwrit: 1
server: { name: desk }
types:
  Kept: { fields: { role: string } }
  Lost: { fields: { body: string } }
categories:
  system: { summary: The server itself. }
  notes: { summary: Notes of a person. }
focus:
  all: { allow: ['*'] }
  writing: { allow: [notes], deny: [{ effect: destroy }] }
roles:
  owner: { allow: ['*'] }
  author: { allow: [notes, system.roles], deny: [notes.burn] }
contexts:
  writing: { keywords: [write], include: [notes] }
  roles: { keywords: [role], include: [system.roles, notes.read] }
providers:
  pen: { summary: Something to write with. }
errors:
  OUT_OF_INK: { summary: The pen is empty. }
operations:
  system.roles: { builtin: list_roles, aliases: [who] }
  system.books: { builtin: list_cookbooks, deprecated: { use: notes.read } }
  notes.read: { summary: Read a note., effect: read, returns: Lost, aliases: [look] }
  notes.write: { summary: Write a note., effect: write, requires: pen, errors: [OUT_OF_INK], invalidates: [system] }
  notes.burn: { summary: Burn a note., effect: destroy, confirm: true }
tools:
  both: { summary: Two things., by: what, operations: { roles: system.roles, books: system.books } }
  notebook: { summary: Notes., by: what, operations: { read: notes.read, write: notes.write } }
removed:
  scroll: { note: Read instead., use: notes.read }
  crowd: { note: Ask who., use: system.roles }
resources:
  inbox: { uri: 'notes://inbox', summary: What came in. }
prompts:
  review: { summary: Look back., arguments: { week: The week. }, template: 'Review {{week}}.' }
  interview: { summary: Ask., arguments: { who: { description: Whom., complete: true } } }
cookbooks:
  start: { summary: Begin., file: start.md, operations: [system.roles] }
  write: { summary: Write., file: write.md, operations: [system.roles, notes.write] }
";

fn read(yaml: &str) -> impl FnMut(&str) -> io::Result<String> + '_ {
    |path| Ok(if path == "desk.yaml" { yaml.to_owned() } else { "# How\n".to_owned() })
}

fn loaded(yaml: &str) -> Authority {
    load_sources("desk.yaml", read(yaml)).unwrap_or_else(|problems| panic!("{problems}\n{yaml}"))
}

fn ids(model: &Model) -> Vec<&str> {
    model.operations.iter().map(|operation| operation.id.as_str()).collect()
}

#[test]
fn what_needs_a_handler_is_left_out_with_everything_that_refers_to_it() {
    let (rest, left_out) = loaded(DESK).without_handlers();
    assert_eq!(ids(&rest), ["system.roles", "system.books", "prompts.review", "prompts.start"]);
    let handled = "notes.read, notes.write, notes.burn, resources.inbox, prompts.interview, \
                   prompts.complete_interview_who";
    assert_eq!(
        left_out.to_string(),
        format!(
            "left out, because only a server compiled from the manifest has handlers: {handled}; left out, because \
             they use these: prompts.write"
        )
    );
    assert_eq!(rest.merged.len(), 1);
    assert_eq!(rest.removed.len(), 1);
    assert_eq!((rest.resources.len(), rest.prompts.len(), rest.cookbooks.len()), (0, 2, 1));
    assert!(rest.operations[1].deprecated.as_ref().unwrap().replacement.is_none());
    // The operator may choose any focus mode and role, although one allows nothing now.
    assert_eq!((rest.focus.len(), rest.roles.len(), rest.providers.len()), (2, 2, 1));
    assert_eq!(rest.contexts.len(), 1);
    assert_eq!(rest.sources().iter().count(), 3, "the texts are whole");
}

/// No name of what is left out remains, and the rest is a valid manifest.
#[test]
fn the_rest_is_a_valid_manifest() {
    let (rest, _) = loaded(DESK).without_handlers();
    let yaml = emit::to_yaml(&rest);
    for word in ["notes", "Lost", "look", "notebook", "scroll", "inbox", "interview"] {
        assert!(!yaml.contains(word), "{word} in\n{yaml}");
    }
    assert_eq!(rest, loaded(&yaml));
}

#[test]
fn a_manifest_without_handlers_stays_as_it_is() {
    let desk =
        DESK.split("  notes.read").next().unwrap().replace(", deprecated: { use: notes.read }", "");
    let desk = desk.replace(", notes.read", "").replace(", deny: [notes.burn]", "");
    let desk = loaded(&desk.replace("[notes, system.roles]", "['*']").replace("[notes]", "['*']"));
    let (rest, left_out) = desk.without_handlers();
    assert!(left_out.is_empty());
    assert_eq!(ids(&rest), ids(&desk));
}

#[test]
fn a_load_knows_all_its_files_and_whether_they_have_changed() {
    let folder = tempfile::TempDir::new().unwrap();
    let root = folder.path().join("root.yaml");
    let part = folder.path().join("part.yaml");
    fs::write(&root, "toolwrit: 1\nserver: { name: desk }\ninclude: [part.yaml]\n").unwrap();
    let problems = load(&root).unwrap_err();
    let paths: Vec<&str> = problems.sources().paths().collect();
    assert_eq!(paths, [root.to_str().unwrap(), part.to_str().unwrap()]);
    assert!(!has_changed(problems.sources()));

    let roles = "toolwrit: 1\ncategories: { system: { summary: Own. } }\noperations: { system.roles: { builtin: list_roles } }\n";
    fs::write(&part, roles).unwrap();
    assert!(has_changed(problems.sources()), "a missing file is there");
    let desk = load(&root).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(!has_changed(desk.sources()));
    fs::write(&part, roles.replace("Own", "Mine")).unwrap();
    assert!(has_changed(desk.sources()), "another text");
    fs::remove_file(&part).unwrap();
    assert!(has_changed(desk.sources()), "a file is gone");

    let nothing = load(&folder.path().join("nothing.yaml")).unwrap_err();
    assert_eq!(nothing.sources().paths().count(), 1);
    assert!(!has_changed(nothing.sources()));
}
