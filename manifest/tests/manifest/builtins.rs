//! Operations of the engine, and cookbooks.

use std::collections::BTreeSet;
use std::io;

use toolwrit_manifest::interface::{json_schema, signature};
use toolwrit_manifest::{
    Authority, Builtin, Effect, Problems, View, emit, load_kept, load_sources, policy,
};

const ROOT: &str = "toolwrit: 1
server: { name: notes }
include: [operations/own.yaml]
categories: { own: { summary: The server. }, note: { summary: Notes. } }
focus: { full: { allow: [\"*\"] }, looking: { allow: [{ effect: read }] } }
roles: { owner: { allow: [\"*\"] }, reader: { allow: [{ effect: read }] } }
";

const OWN: &str = "operations:
  own.together: { builtin: batch_get, timeout: 20s }
  own.seed: { builtin: seed_test_data }
  note.read: { summary: Read a note., effect: read }
  note.write: { summary: Write a note., effect: write }
cookbooks:
  reading:
    title: Reading
    summary: Read well.
    file: ../guides/reading.md
    operations: [note.read]
    tags: [short]
  writing: { summary: Write well., file: ../guides/writing.md, operations: [note.read, note.write] }
";

fn read(operations: &str) -> impl FnMut(&str) -> io::Result<String> {
    move |path| match path {
        "m/authority.yaml" => Ok(ROOT.to_owned()),
        "m/operations/own.yaml" => Ok(operations.to_owned()),
        "m/guides/reading.md" => Ok("# Read\n\n`{{date}}` stays.\n".to_owned()),
        "m/guides/writing.md" => Ok("# Write\n".to_owned()),
        "m/guides/hidden.md" => Ok("# Hid\u{200b}den\n".to_owned()),
        "m/guides/long.md" => Ok("x".repeat(64 * 1024 + 1)),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

fn good() -> Authority {
    load_sources("m/authority.yaml", read(OWN)).unwrap_or_else(|problems| panic!("{problems}"))
}

fn problems(from: &str, to: &str) -> Problems {
    assert!(OWN.contains(from), "{from}");
    load_sources("m/authority.yaml", read(&OWN.replacen(from, to, 1))).unwrap_err()
}

#[test]
fn a_built_in_operation_has_its_own_effect_parameters_and_result() {
    let authority = good();
    let [together, seed] = &authority.operations[..2] else { panic!("they are the first") };
    assert_eq!(
        (together.builtin, seed.builtin),
        (Some(Builtin::BatchGet), Some(Builtin::SeedTestData))
    );
    assert_eq!((together.effect, seed.effect), (Effect::Read, Effect::Write));
    assert!(!authority.is_handled(together), "authors write no handler");
    assert_eq!(
        signature::signature(&authority, together),
        "own.together(calls: {tool, args?}[]) -> {results}"
    );
    let schema: serde_json::Value =
        serde_json::from_str(&json_schema::input_schema(&authority, together)).unwrap();
    assert_eq!(schema["properties"]["calls"]["maxItems"], 20);
    for builtin in Builtin::ALL {
        let yaml = format!("operations: {{ own.it: {{ builtin: {} }} }}", builtin.as_str());
        let loaded = load_sources("m/authority.yaml", read(&yaml)).unwrap();
        assert!(json_schema::output_schema(&loaded, &loaded.operations[0]).is_some());
    }
}

#[test]
fn keys_that_a_builtin_determines_are_refused_where_they_are() {
    for (key, value) in [
        ("effect", "read"),
        ("params", "{ a: string }"),
        ("returns", "string"),
        ("idempotent", "true"),
        ("open_world", "true"),
        ("page", "{ default: 1, max: 2 }"),
        ("cache", "5s"),
        ("confirm", "true"),
        ("dry_run", "true"),
        ("retry", "2"),
        ("task", "optional"),
    ] {
        let found = problems("timeout: 20s", &format!("{key}: {value}"));
        assert_eq!(found.iter().count(), 1, "{found}");
        let text = found.to_string();
        assert!(text.contains(&format!("`builtin: batch_get` determines `{key}`")), "{text}");
        assert!(text.contains("m/operations/own.yaml:2:"), "{text}");
    }
}

#[test]
fn mistakes_are_reported_once_and_in_their_place() {
    for (from, to, message, place) in [
        ("builtin: batch_get", "builtin: batch_gte", "did you mean `batch_get`?", ":2:"),
        ("builtin: seed_test_data", "bultin: seed", "did you mean `builtin`?", ":3:"),
        (
            "summary: Read a note., effect: read",
            "summary: Read.",
            "an operation needs `effect`",
            ":4:",
        ),
        ("operations: [note.read]", "operations: [note.raed]", "did you mean `note.read`?", ":11:"),
        ("operations: [note.read]", "operations: [note.read, note.read]", "listed twice", ":11:"),
        ("operations: [note.read]", "operations: [prompts.writing]", "is not an operation", ":11:"),
        ("guides/reading", "guides/missing", "cannot read `../guides/missing.md`", ":10:"),
        ("../guides/reading.md", "../../secret.md", "is not a file beside or below", ":10:"),
        ("../guides/reading.md", "/etc/passwd", "is not a file beside or below", ":10:"),
        ("../guides/reading.md", "../guides/long.md", "too long", ":10:"),
        ("../guides/reading.md", "../guides/hidden.md", "hidden character", "guides/hidden.md:1:"),
        ("    summary: Read well.\n", "", "a cookbook needs `summary`", ":7:"),
        (
            "cookbooks:\n",
            "prompts: { reading: { summary: Read. } }\ncookbooks:\n",
            "declared twice",
            ":8:",
        ),
    ] {
        let found = problems(from, to);
        let text = found.to_string();
        assert_eq!(found.iter().count(), 1, "{text}");
        assert!(text.contains(message) && text.contains(place), "{from} -> {to}: {text}");
    }
}

#[test]
fn a_cookbook_is_a_prompt_for_those_who_may_use_its_operations() {
    let authority = good();
    assert_eq!(authority.cookbooks[0].text, "# Read\n\n`{{date}}` stays.\n");
    let prompts: Vec<&str> = authority.prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(prompts, ["reading", "writing"]);
    let allowed: Vec<String> = authority
        .operation_ids()
        .filter(|id| authority.cookbook_of(*id).is_some())
        .flat_map(|id| {
            let [roles, modes] = [
                authority
                    .role_ids()
                    .filter(|role| policy::role_allows(&authority, *role, id))
                    .count(),
                authority
                    .focus_ids()
                    .filter(|focus| policy::focus_allows(&authority, *focus, id))
                    .count(),
            ];
            [format!("{} {roles} {modes}", authority[id].id)]
        })
        .collect();
    assert_eq!(allowed, ["prompts.reading 2 2", "prompts.writing 1 1"]);
}

#[test]
fn they_survive_emission_narrowing_and_storage() {
    let authority = good();
    let yaml = emit::to_yaml(&authority);
    let again = load_sources("m/authority.yaml", |path| match path {
        "m/authority.yaml" => Ok(yaml.clone()),
        other => read(OWN)(other),
    });
    assert_eq!(again.unwrap_or_else(|problems| panic!("{problems}")), authority);

    let view = View {
        operations: BTreeSet::from(["note.read", "prompts.reading"]),
        focus: "full",
        role: None,
    };
    let narrow = authority.narrowed(&view);
    assert_eq!(narrow.cookbooks.len(), 1);
    assert_eq!(narrow[narrow.cookbooks[0].operations[0]].id, "note.read");

    let kept = authority.sources().iter().map(|file| (file.path.as_str(), file.text.as_str()));
    assert_eq!(load_kept(kept).unwrap(), authority);
}
