//! The configuration file: its keys, their precedence, and the reports of mistakes.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{Client, Era};

use crate::cli::program::{Run, command, run};

/// A folder with this configuration file.
fn written(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("config.toml");
    std::fs::write(&file, text).expect("a file");
    (folder, file)
}

fn configured(file: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> Run {
    let mut command = command(toolwrit_tests::program::toolwrit());
    command.envs(environment.iter().copied()).arg("--config").arg(file).args(arguments);
    run(&mut command)
}

/// Each line of `--print-config`: the setting and its source.
fn settings(run: Run) -> Vec<(String, String)> {
    let text = run.ok();
    let lines = text.lines().map(|line| line.rsplit_once(" # ").expect("a source"));
    lines.map(|(value, source)| (value.trim().to_owned(), source.to_owned())).collect()
}

#[test]
fn flags_beat_the_environment_which_beats_the_file() {
    let (_folder, file) = written("surface = \"meta\"\nsplit = \"none\"\nfocus = \"read-only\"\n");
    let environment = [("TOOLWRIT_SPLIT", "effect"), ("TOOLWRIT_FOCUS", "content-editing")];
    let found =
        settings(configured(&file, &environment, &["serve", "--focus", "full", "--print-config"]));
    let expected = [
        ("surface = \"meta\"", format!("{}:1", file.display())),
        ("split = \"effect\"", "environment TOOLWRIT_SPLIT".to_owned()),
        ("focus = \"full\"", "flag --focus".to_owned()),
        ("role = \"owner\"", "manifest".to_owned()),
        ("profile = \"portable\"", "default".to_owned()),
    ];
    for (setting, source) in expected {
        assert!(found.contains(&(setting.to_owned(), source)), "{setting} in {found:#?}");
    }
}

#[test]
fn print_config_prints_an_equivalent_file() {
    let (_folder, file) =
        written("exclude = [\"vault.delete\"]\nread_only = true\nvault = \"notes\"\n");
    let first = configured(&file, &[], &["serve", "--role", "editor", "--print-config"]).ok();
    let (_again, copy) = written(&first);
    let second = configured(&copy, &[], &["serve", "--print-config"]).ok();
    let values = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.rsplit_once(" # "));
        lines.map(|(value, _)| value.trim().to_owned()).collect()
    };
    assert_eq!(values(&first), values(&second));
    let vault = file.with_file_name("notes");
    assert!(first.contains(&format!("vault = [\"{}\"]", vault.display())), "{first}");
    // The first vault is the default.
    let (_folder, file) = written("[vaults.work]\npath = \"a\"\n[vaults.home]\npath = \"b\"\n");
    let printed = configured(&file, &[], &["serve", "--print-config"]).ok();
    let (_again, copy) = written(&printed);
    let again = configured(&copy, &[], &["serve", "--print-config"]).ok();
    assert_eq!(values(&printed), values(&again));
    assert!(printed.find("\"work\"").expect("work") < printed.find("\"home\"").expect("home"));
}

#[test]
fn the_file_applies_to_every_command() {
    let (_folder, file) = written("role = \"reader\"\n");
    let listed = configured(&file, &[], &["list", "--json"]);
    assert!(listed.ok().lines().all(|line| !line.contains("vault.delete")));
    let (_folder, file) = written("read_only = true\n");
    let vault = toolwrit_tests::vaults::empty();
    let path = vault.path().display().to_string();
    let refused = configured(
        &file,
        &[("TOOLWRIT_VAULT", &path)],
        &["call", "vault.write", "--path", "a.md", "--content", "x", "--json"],
    );
    assert_eq!(refused.json()["error"]["code"], "WRITES_DISABLED");
}

#[test]
fn every_mistake_is_reported_with_its_place() {
    let (_folder, file) =
        written("surfac = \"meta\"\nsplit = \"nnoe\"\nread_only = 3\nexclude = [[]]\n");
    let failed = configured(&file, &[], &["list"]);
    assert_eq!(failed.code, Some(3));
    let name = file.display().to_string();
    for expected in [
        "1:1: unknown key `surfac`; did you mean `surface`?",
        "2:9: `nnoe` is not one of effect, none; did you mean `none`?",
        "3:13: expected true or false",
        "4:12: expected a list of strings",
    ] {
        let line = format!("{name}:{expected}");
        assert!(failed.stderr.contains(&line), "{line} in {}", failed.stderr);
    }
}

#[test]
fn values_are_checked_as_their_flags_are() {
    let (_folder, file) = written(
        "surfac = \"meta\"\nrate = \"x\"\nfocus = \"zz\"\nrole = 3\nvault = 5\ntools = [\"vault\", \"nope\"]\n\
         exclude = \"nada\"\nqueue = -1\ntimeout = 5\n",
    );
    let failed = configured(&file, &[("TOOLWRIT_RATE", "y")], &["list"]);
    assert_eq!(failed.code, Some(3), "{failed:?}");
    let name = file.display().to_string();
    for expected in [
        "1:1: unknown key `surfac`",
        "2:8: invalid value `x`: invalid digit found in string",
        "3:9: unknown focus mode `zz`",
        "4:8: expected a string",
        "5:9: expected a list of strings",
        "6:19: unknown selector `nope`",
        "7:11: unknown selector `nada`",
        "8:9: invalid value `-1`",
        "9:11: invalid value `5`",
    ] {
        let line = format!("{name}:{expected}");
        assert!(failed.stderr.contains(&line), "{line} in {}", failed.stderr);
    }
    let (_folder, file) = written("rate = 0\n");
    let failed = configured(&file, &[], &["serve", "--print-config"]);
    assert_eq!(failed.code, Some(3), "{failed:?}");
    assert!(failed.stderr.contains("config.toml:1:8: invalid value `0`"), "{failed:?}");
    let doctor = configured(&file, &[], &["doctor"]).stdout;
    let carets = doctor.lines().any(|line| line.trim_start().starts_with('^'));
    assert!(carets && doctor.lines().any(|line| line.trim() == "rate = 0"), "{doctor}");
}

#[test]
fn names_of_upstreams_are_known() {
    let upstream = "[upstreams.shelf]\ncommand = [\"none\"]\n";
    let (_folder, file) = written(&format!("exclude = [\"shelf\"]\n{upstream}"));
    configured(&file, &[], &["serve", "--print-config"]).ok();
    let (_folder, file) = written(&format!("exclude = [\"shell\"]\n{upstream}"));
    let failed = configured(&file, &[], &["serve", "--print-config"]);
    assert_eq!(failed.code, Some(3), "{failed:?}");
    assert!(failed.stderr.contains("config.toml:1:12: unknown"), "{failed:?}");
}

#[test]
fn a_path_may_begin_in_the_home_folder() {
    let home = tempfile::tempdir().expect("a folder");
    let notes = home.path().join("Notes");
    std::fs::create_dir(&notes).expect("a vault");
    std::fs::write(notes.join("Here.md"), "here\n").expect("a note");
    std::fs::write(home.path().join("config.toml"), "vault = \"~/Notes\"\n").expect("a file");
    let read = ["call", "vault.read", "--path", "Here.md"];
    let given = |environment: &[(&str, &str)], arguments: &[&str]| -> String {
        let mut command = command(toolwrit_tests::program::toolwrit());
        command.env("HOME", home.path()).envs(environment.iter().copied());
        run(command.args([&read, arguments].concat())).ok()
    };
    for found in [
        given(&[], &["--vault", "~/Notes"]),
        given(&[("TOOLWRIT_VAULT", "~/Notes")], &[]),
        given(&[], &["--config", "~/config.toml"]),
    ] {
        assert!(found.ends_with("here\n"), "{found}");
    }
}

#[test]
fn a_missing_or_malformed_file_is_a_configuration_error() {
    let (_folder, file) = written("focus = \n");
    let failed = configured(&file, &[], &["list"]);
    assert_eq!(failed.code, Some(3));
    assert!(failed.stderr.contains("config.toml:1:"), "{}", failed.stderr);
    let failed = configured(&file.with_file_name("other.toml"), &[], &["list"]);
    assert_eq!(failed.code, Some(3));
    assert!(failed.stderr.contains("other.toml"), "{}", failed.stderr);
}

#[test]
fn a_client_gets_the_surface_configured_for_its_name() {
    let (_folder, file) =
        written("surface = \"flat\"\n\n[clients.Tests]\nsurface = \"meta\"\nsplit = \"none\"\n");
    let config = file.display().to_string();
    let lab = Path::new(env!("CARGO_BIN_EXE_lab"));
    let names = |client: &mut Client| -> Vec<String> {
        let tools = client.tools();
        tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
    };
    for era in Era::ALL {
        // The name of this test's client is `tests`.
        let mut own = Client::connect(lab, &["serve", "--config", &config], era);
        assert!(names(&mut own).contains(&"execute".to_owned()));
        let arguments = serde_json::json!({"tool": "lab.echo", "args": {"text": "hi"}});
        assert!(own.call("execute", &arguments).text().contains("hi"));
    }
    let (_folder, file) = written("surface = \"flat\"\n[clients.other]\nsurface = \"meta\"\n");
    let config = file.display().to_string();
    let mut general = Client::connect(lab, &["serve", "--config", &config], Era::Initialize);
    assert!(names(&mut general).contains(&"lab_echo".to_owned()));
}

#[test]
fn mistakes_in_a_clients_table_are_reported() {
    let (_folder, file) = written("[clients.a]\nsurfaces = \"meta\"\nsplit = \"nnoe\"\n");
    let failed = configured(&file, &[], &["list"]);
    assert_eq!(failed.code, Some(3));
    for expected in [
        "2:1: unknown key `surfaces`; did you mean `surface`?",
        "3:9: expected one of effect, none; did you mean `none`?",
    ] {
        assert!(failed.stderr.contains(expected), "{expected} in {}", failed.stderr);
    }
}

#[test]
fn the_schema_has_exactly_the_keys_of_the_file() {
    let (_folder, file) = written("");
    let schema: Value = configured(&file, &[], &["schema", "--configuration"]).json();
    let mut keys: Vec<String> = Vec::new();
    for line in configured(&file, &[], &["serve", "--print-config"]).ok().lines() {
        let key = line.trim_start_matches("# ").split_whitespace().next().expect("a key");
        keys.push(key.to_owned());
    }
    let properties = schema["properties"].as_object().expect("properties");
    keys.extend(
        ["clients", "operations", "providers", "state", "upstreams", "roles", "chat", "models"]
            .map(str::to_owned),
    );
    keys.sort_unstable();
    let mut described: Vec<&String> = properties.keys().collect();
    described.sort_unstable();
    assert_eq!(described, keys.iter().collect::<Vec<_>>());
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let good = serde_json::json!({"surface": "meta", "read_only": true, "exclude": ["vault"]});
    assert!(validator.is_valid(&good));
    assert!(validator.is_valid(&serde_json::json!({"clients": {"a": {"surface": "flat"}}})));
    assert!(!validator.is_valid(&serde_json::json!({"clients": {"a": {"focus": "full"}}})));
    assert!(!validator.is_valid(&serde_json::json!({"surfac": "meta"})));
    assert!(!validator.is_valid(&serde_json::json!({"surface": "mta"})));
}

#[test]
fn the_table_of_the_state_is_checked_and_shows_no_password() {
    for (text, expected) in [
        ("[state]\npool = 1\n", ":2:8: expected at least 2 connections"),
        ("[state]\npool = \"4\"\n", ":2:8: expected at least 2 connections"),
        ("[state]\naudit_days = 0\n", ":2:14: expected at least 1 day"),
        ("[state]\nsample_reads = 2\n", ":2:16: expected a number from 0 to 1"),
        ("[state]\naudit = \"some\"\n", ":2:9: unknown variant `some`"),
        ("[state]\ndirect = \"postgres://u:hidden@h/d?sslmode=prefer\"\n", ":2:10: "),
        ("state = \"postgres://u:hidden@h/d\"\n", ":1:9: expected the table [state]; the address"),
    ] {
        let (_folder, file) = written(text);
        let run = configured(&file, &[], &["serve", "--print-config"]);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stderr.contains(expected), "{text}: {}", run.stderr);
        assert!(!run.stderr.contains("hidden"), "{}", run.stderr);
    }
    let (_folder, file) = written("");
    for given in ["postgres://u:hidden@h/d?sslmode=prefer", "u:hidden@h"] {
        let run = configured(&file, &[("TOOLWRIT_STATE", given)], &["serve", "--print-config"]);
        assert!(run.stderr.contains("invalid value for '--state <URL>'"), "{run:?}");
        assert!(!run.stderr.contains("hidden"), "{}", run.stderr);
    }
    let text = "[state]\ndirect = \"postgres://u:hidden@h/d?sslmode=disable\"\naudit_days = 7\n";
    let (_folder, file) = written(text);
    let given = [("TOOLWRIT_STATE", "postgres://u:hidden@h/d")];
    let printed = configured(&file, &given, &["serve", "--print-config"]).ok();
    assert!(printed.contains("audit_days = 7") && !printed.contains("hidden"), "{printed}");
    assert!(printed.contains("direct = \"postgres://u@h/d?sslmode=disable\""), "{printed}");
    assert!(printed.contains("is a secret, and comes from the environment"), "{printed}");
}

#[test]
fn what_is_said_about_replicas_without_a_database_is_refused() {
    let (_folder, file) = written("[state]\npool = 3\n");
    let (_empty, no_table) = written("");
    for (file, flags, what) in [
        (&file, &["serve"][..], "[state] of the configuration"),
        (&file, &["audit"], "[state] of the configuration"),
        (&no_table, &["serve", "--replica", "a"], "--replica"),
        (&no_table, &["serve", "--keys", "keys"], "--keys"),
    ] {
        let run = configured(file, &[], flags);
        assert_eq!(run.code, Some(3), "{run:?}");
        let expected =
            format!("{what} is about replicas, which need a database; set TOOLWRIT_STATE");
        assert!(run.stderr.contains(&expected), "{}", run.stderr);
    }
    let run = configured(&no_table, &[], &["serve", "--replica", ""]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
fn a_table_of_a_vault_is_checked_at_its_place() {
    for (text, expected) in [
        ("[vaults.a]\npath = \"a\"\nread_onli = true\n", ":1:9: unknown field `read_onli`"),
        ("[vaults.a]\npath = 1\n", ":1:9: invalid type: integer `1`, expected path string"),
        ("vaults = 1\n", ":1:10: expected tables, as in [vaults.name]"),
        ("[vaults]\na = 1\n", ":2:5: expected a table, as in [vaults.a]"),
        ("[vaults.\"a/b\"]\npath = \"a\"\n", ":1:9: expected a name of at most 64 characters"),
    ] {
        let (_folder, file) = written(text);
        let run = configured(&file, &[], &["serve", "--print-config"]);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stderr.contains(expected), "{text}: {}", run.stderr);
    }
    for (text, expected) in [
        ("[vaults.a]\nread_only = true\n", "vaults.a: `path` is missing"),
        ("[vaults.a]\npath = \".\"\nroles = [\"owner\"]\n", "cannot have `roles`"),
        ("[vaults.a]\npath = \".\"\nfocus = \"none\"\n", "`a`: unknown focus mode `none`"),
        ("vault = [\"a=.\", \"A=/tmp\"]\n", "two vaults are named `A`"),
        (
            "vault = [\"a=.\", \"b=.\"]\n",
            "the folders of the vaults `a` and `b` are in one another",
        ),
    ] {
        let (_folder, file) = written(text);
        let run = configured(&file, &[], &["call", "vault.list"]);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stderr.contains(expected), "{text}: {}", run.stderr);
    }
}

#[test]
fn flags_name_the_vaults_and_tables_their_policies() {
    let (folder, file) =
        written("[vaults.a]\npath = \"a\"\nread_only = true\n[vaults.b]\npath = \"b\"\n");
    for name in ["a", "b", "c"] {
        let vault = folder.path().join(name);
        std::fs::create_dir(&vault).expect("a vault");
        std::fs::write(vault.join("Note.md"), name).expect("a note");
    }
    let read = |arguments: &[&str]| -> Value {
        let arguments = [&["call", "vault.read", "--path", "Note", "--json"], arguments].concat();
        configured(&file, &[], &arguments).json()
    };
    assert_eq!(read(&[])["content"], "a");
    assert_eq!(read(&["--param-vault", "b"])["content"], "b");
    let (a, c) = (folder.path().join("a"), folder.path().join("c"));
    let named = [format!("c={}", c.display()), format!("a={}", a.display())];
    let flags = ["--vault", &named[0], "--vault", &named[1]];
    assert_eq!(read(&flags)["vault"], "c");
    let write =
        ["call", "vault.write", "--path", "New", "--content", "x", "--param-vault", "a", "--json"];
    let refused = configured(&file, &[], &[&write[..], &flags[..]].concat());
    assert_eq!(refused.failure(), "WRITES_DISABLED");
}
