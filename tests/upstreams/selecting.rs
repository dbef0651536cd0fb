//! Single tools in the policy: by name and pattern, before they are known and after.

use std::fs;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::vaults;

use crate::upstreams::scripted::{table, tool, write};
use crate::upstreams::{Setup, gateway};

const EFFECTS: &str = "effects = { list_issues = \"read\", get_issue = \"read\", create_issue = \"write\", \
                       delete_issue = \"destroy\" }\n";
const TOOLS: [&str; 4] = ["list_issues", "get_issue", "create_issue", "delete_issue"];

/// A gateway of the upstream `gh` with these tools, and further lines before its table and in it.
fn setup(before: &str, within: &str) -> Setup {
    let setup = Setup::new("");
    let tools = write(setup.folder.path(), &TOOLS.map(tool));
    let table = table("gh", &tools, &format!("{EFFECTS}{within}"));
    fs::write(&setup.config, format!("{before}\n{table}")).unwrap();
    setup
}

/// The names of the upstream's operations that a command lists, and what it warns of.
fn listed(setup: &Setup, flags: &[&str]) -> (Vec<String>, String) {
    let output = setup.run(&[&["list", "gh", "--json"], flags].concat());
    assert!(output.status.success(), "{flags:?}: {output:?}");
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = listed["operations"].as_array().unwrap();
    let mut names: Vec<String> =
        rows.iter().map(|row| row["id"].as_str().unwrap().replace("gh.", "")).collect();
    names.sort();
    (names, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn names_patterns_and_effects_select_single_tools() {
    let setup = setup("", "");
    setup.approve("gh");
    for (flags, expected) in [
        (&["--tools", "gh.get_issue"][..], &["get_issue"][..]),
        (&["--tools", "gh.*_issue"], &["create_issue", "delete_issue", "get_issue"]),
        (&["--tools", "gh.*", "--exclude", "effect:read"], &["create_issue", "delete_issue"]),
        (&["--exclude", "gh.delete_*,gh.create_*"], &["get_issue", "list_issues"]),
        (&["--tools", "gh.list*s,gh.get_issue", "--read-only"], &["get_issue", "list_issues"]),
    ] {
        let (names, warnings) = listed(&setup, flags);
        assert_eq!(names, expected, "{flags:?}");
        assert_eq!(warnings, "");
    }
}

/// A name of an upstream may be one that joins later; any other one is a mistake.
#[test]
fn a_selector_that_matches_nothing_is_told_by_every_command() {
    let setup = setup("", "");
    setup.approve("gh");
    let commands: [&[&str]; 8] = [
        &["list"],
        &["search", "issues"],
        &["describe", "gh.get_issue"],
        &["call", "gh.get_issue"],
        &["context", "list my issues"],
        &["export", "--format", "openai"],
        &["tokens"],
        &["serve", "--print-config"],
    ];
    for command in commands {
        let run = |selector: &str| setup.run(&[command, &["--exclude", selector]].concat());
        let errors = |selector: &str| String::from_utf8(run(selector).stderr).unwrap();
        let known = run("gh.delete_issue");
        let said = String::from_utf8_lossy(&known.stderr);
        assert!(known.status.success() && !said.contains("matches no"), "{command:?}: {said}");
        let near = errors("gh.delete_isue");
        let expected = "`exclude`: gh.delete_isue matches no approved tool of gh; it stays in force. Did you \
                        mean gh.delete_issue?";
        assert!(command[0] == "tokens" || near.contains(expected), "{command:?}: {near}");
        let far = errors("gh.drop_*");
        assert!(
            command[0] == "tokens" || far.contains("gh.drop_* matches no approved tool"),
            "{far}"
        );
        let wrong = run("sytem.metrics");
        let said = String::from_utf8_lossy(&wrong.stderr);
        assert_eq!(wrong.status.code(), Some(3), "{command:?}: {said}");
        assert!(said.contains("did you mean `system.metrics`?"), "{command:?}: {said}");
    }
}

#[test]
fn of_many_names_the_closest_are_told() {
    let vault = vaults::empty();
    let setup = Setup::new("");
    let folder = vault.path().to_str().unwrap();
    let refused = setup.run(&["list", "--vault", folder, "--exclude", "vault.bulk_delet"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{said}");
    let close = said.split("expected one such as: ").nth(1).unwrap();
    let close: Vec<&str> = close.split(" (did you mean").next().unwrap().split(", ").collect();
    assert_eq!((close.len(), close[0]), (5, "vault.bulk_delete"), "{said}");
}

#[test]
fn what_a_typing_mistake_exposes_fails_a_diagnosis() {
    let setup =
        setup("exclude = [\"gh.delete_isue\"]\ntools = [\"gh\", \"system\", \"gh.gone\"]\n", "");
    setup.approve("gh");
    let output = setup.run(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = found["checks"].as_array().unwrap();
    let status = |selector: &str| {
        let check =
            checks.iter().find(|check| check["message"].as_str().unwrap().contains(selector));
        check.unwrap()["status"].clone()
    };
    assert_eq!(status("gh.delete_isue"), "fail", "{found}");
    assert_eq!(status("gh.gone"), "warn", "{found}");
    let mut host = setup.serve("flat", Era::Initialize);
    let said = host.introspect();
    let warnings = said["warnings"].to_string();
    assert!(warnings.contains("gh.delete_isue") && warnings.contains("gh.gone"), "{said}");
}

/// The policy finds its selectors again whenever operations join.
#[test]
fn an_excluded_tool_that_is_approved_while_serving_is_never_listed() {
    let setup = setup("exclude = [\"gh.delete_issue\", \"gh.create_*\"]\n", "");
    let mut host = setup.serve("flat", Era::Initialize);
    let approving = std::thread::scope(|scope| {
        let approving = scope.spawn(|| setup.approve("gh"));
        let mut seen = false;
        for _ in 0..10_000 {
            let names = host.tools();
            assert!(
                !names.iter().any(|name| name == "gh_delete_issue" || name == "gh_create_issue")
            );
            let is_listed = names.contains(&"gh_get_issue".to_owned());
            if seen && is_listed && approving.is_finished() {
                break;
            }
            seen |= is_listed;
        }
        approving.join()
    });
    approving.unwrap();
    toolwrit_tests::waiting::until("the approved tools", || {
        host.tools().contains(&"gh_get_issue".to_owned())
    });
    let refused = host.client.call("gh_delete_issue", &json!({}));
    assert_eq!(refused.code(), "TOOL_NOT_FOUND", "{}", refused.0);
}

#[test]
fn tools_are_left_out_of_an_upstream() {
    let setup = setup("", "only = [\"*_issue\"]\nexcept = [\"delete_*\", \"drop_*\"]\n");
    setup.approve("gh");
    let (names, warnings) = listed(&setup, &[]);
    assert_eq!(names, ["create_issue", "get_issue"]);
    let expected =
        "`upstreams.gh.except`: drop_* matches no approved tool of gh; it stays in force.";
    assert!(warnings.contains(expected), "{warnings}");
    let mut host = setup.serve("meta", Era::Initialize);
    for left_out in ["gh.delete_issue", "gh.list_issues"] {
        let refused = host.read(left_out, &json!({}));
        assert_eq!(refused.code(), "TOOL_NOT_FOUND", "{}", refused.0);
    }
    assert_eq!(host.introspect()["upstreams"]["tools"], 2);
}

const MODES: &str = "\
[focus.triage]
summary = \"Look at issues.\"
allow = [\"gh.list_*\", \"gh.get_issue\", \"gh.create_issue\"]
[focus.quiet]
extends = \"triage\"
deny = [\"effect:write\"]
[roles.helper]
extends = \"reader\"
allow = [\"*\"]
[roles.editor]
deny = [\"gh.create_issue\"]
";

#[test]
fn modes_of_the_configuration_only_narrow() {
    let setup = setup(MODES, "");
    setup.approve("gh");
    for (flags, expected) in [
        (&["--focus", "triage"][..], &["create_issue", "get_issue", "list_issues"][..]),
        (&["--focus", "quiet"], &["get_issue", "list_issues"]),
        // What it extends reads only, whatever it allows.
        (&["--role", "helper"], &["get_issue", "list_issues"]),
        (&["--role", "editor"], &["get_issue", "list_issues"]),
        (&["--role", "owner"], &["create_issue", "delete_issue", "get_issue", "list_issues"]),
        (&["--focus", "content-editing"], &["create_issue", "get_issue", "list_issues"]),
    ] {
        assert_eq!(listed(&setup, flags).0, expected, "{flags:?}");
    }
    let server = gateway(&setup, &["--surface", "flat"]);
    drop(server);
    let mut host = setup.serve_with("flat", Era::Stateless, &["--focus", "quiet"]);
    let refused = host.client.call("gh_create_issue", &json!({}));
    assert_eq!(refused.code(), "FOCUS_RESTRICTED", "{}", refused.0);
    assert!(refused.error()["hint"].as_str().unwrap().contains("triage"), "{}", refused.0);
}

#[test]
fn a_mode_that_is_wrong_has_its_place() {
    for (modes, expected) in [
        ("[focus.a]\nallow = [\"gh.x\", \"sytem\"]\n", ":2:18: unknown selector `sytem`"),
        ("[roles.a]\nextends = \"b\"\n", ":1:8: `a` extends `b`, which does not exist"),
        ("[roles.a]\nextends = \"b\"\n[roles.b]\nextends = \"a\"\n", " extends `"),
        ("[roles.reader]\nextends = \"editor\"\n", ":1:8: `reader` is declared by the manifest"),
        ("[focus.a]\nalow = []\n", ":2:1: unknown key `alow`; did you mean `allow`?"),
        ("[focus.\"a b\"]\nallow = []\n", ":1:8: expected a name of letters"),
        ("[roles.a]\ndefault = true\n", ":2:1: unknown key `default`"),
    ] {
        let setup = setup(modes, "");
        let refused = setup.run(&["list"]);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(3), "{modes}: {said}");
        assert!(said.contains(expected), "{modes}: {said}");
    }
}

#[test]
fn operations_of_upstreams_have_limits() {
    let limits = "[operations.\"gh.get_issue\"]\ntimeout = \"7s\"\n[operations.\"gh.gt_issue\"]\ntimeout = \"1s\"\n";
    let setup = setup(limits, "");
    setup.approve("gh");
    let (_, warnings) = listed(&setup, &[]);
    let expected = "`operations`: gh.gt_issue matches no approved tool of gh; it stays in force. Did you mean \
                    gh.get_issue?";
    assert_eq!(warnings.trim(), format!("warning: {expected}"));
    let refused =
        Setup::new(&format!("[operations.\"system.metrcs\"]\ntimeout = \"7s\"\n{limits}"));
    let refused = refused.run(&["list"]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
}

/// The mode is the vault's, too, beside which upstreams are served.
#[test]
fn editing_keeps_what_reads_and_writes_of_upstreams() {
    let vault = vaults::empty();
    let setup = setup("", "");
    setup.approve("gh");
    let folder = vault.path().to_str().unwrap();
    let (names, _) = listed(&setup, &["--vault", folder, "--focus", "content-editing"]);
    assert_eq!(names, ["create_issue", "get_issue", "list_issues"]);
}
