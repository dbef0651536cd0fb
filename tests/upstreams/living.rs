//! What running servers tell of their upstreams, and what is kept of them: states, logs, and their removal.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::waiting::until;

use crate::upstreams::Setup;
use crate::upstreams::scripted::{table, tool, write};

fn setup() -> Setup {
    let setup = Setup::new("");
    let tools = write(setup.folder.path(), &[tool("pid"), tool("count")]);
    let effects = "effects = { pid = \"read\", count = \"read\" }";
    fs::write(&setup.config, table("one", &tools, effects)).unwrap();
    setup.approve("one");
    setup
}

/// What the processes tell of the upstream.
fn processes(setup: &Setup) -> Vec<Value> {
    let listed: Value = serde_json::from_str(&setup.done(&["upstream", "list", "--json"])).unwrap();
    listed["upstreams"][0]["processes"].as_array().unwrap().clone()
}

#[test]
fn each_process_tells_its_own_state_until_it_ends() {
    let setup = setup();
    let mut first = setup.serve("flat", Era::Initialize);
    let second = setup.serve("flat", Era::Stateless);
    assert!(first.read("one.pid", &json!({})).text().parse::<u32>().is_ok());
    let pids = [first.client.pid(), second.client.pid()];
    until("two rows", || {
        let told = processes(&setup);
        let is_told = |pid: &u32| {
            told.iter()
                .any(|one| one["pid"] == *pid && one["state"] == "ready" && one["door"] == "stdio")
        };
        told.len() == 2 && pids.iter().all(is_told)
    });
    until("the figures", || processes(&setup).iter().any(|told| told["calls"] == 1));
    let listed = setup.done(&["upstream", "list"]);
    assert_eq!(listed.matches("ready").count(), 2, "{listed}");
    second.client.close();
    until("one row", || processes(&setup).len() == 1);
    // A process that is killed cannot delete its file.
    first.client.kill();
    until("no row", || processes(&setup).is_empty());
    let running = setup.folder.path().join("upstreams/running");
    assert_eq!(fs::read_dir(running).unwrap().count(), 0);
}

#[test]
fn what_an_upstream_says_is_kept_without_secrets() {
    let setup = Setup::new("");
    let script = setup.folder.path().join("loud.sh");
    fs::write(
        &script,
        "echo \"begins with $TOKEN\" >&2\nhead -c 40000000 /dev/zero | tr '\\\\0' x | fold -w 100 >&2\nexec cat\n",
    )
    .unwrap();
    fs::write(setup.folder.path().join("secret"), "tok-hidden-1\n").unwrap();
    let program = script.to_str().unwrap();
    let loud = format!(
        "[upstreams.loud]\ncommand = [\"sh\", {program:?}]\nenv = {{ TOKEN = {{ file = \"secret\" }} }}\nstart_timeout = \"2s\"\n"
    );
    let tools = write(setup.folder.path(), &[tool("pid")]);
    fs::write(&setup.config, table("loud", &tools, "")).unwrap();
    setup.approve("loud");
    fs::write(&setup.config, &loud).unwrap();
    // The approval is for another place, so that it is written again for this one.
    let lock = setup.folder.path().join("upstreams/loud.lock.yaml");
    let text = fs::read_to_string(&lock).unwrap();
    let at = text.find("place:").unwrap();
    let end = at + text[at..].find("server:").unwrap();
    fs::write(&lock, format!("{}{}", &text[..at], &text[end..])).unwrap();
    let host = setup.serve("flat", Era::Initialize);
    until("its first words", || {
        setup.done(&["upstream", "logs", "loud", "--lines", "100000"]).contains("begins with ***")
    });
    until("lines that are too many", || {
        let shown = setup.done(&["upstream", "logs", "loud", "--lines", "100000"]);
        shown.contains("lines are left out]")
    });
    drop(host);
    let size = |name: &str| {
        let file = setup.folder.path().join("upstreams").join(name);
        fs::metadata(file).map_or(0, |found| found.len())
    };
    assert!(size("loud.log") <= 1 << 20 && size("loud.log.1") <= 1 << 20);
    let shown = setup.done(&["upstream", "logs", "loud", "--lines", "100000"]);
    assert!(shown.contains("lines are left out]"), "{}", &shown[..shown.len().min(500)]);
    assert!(!shown.contains("tok-hidden"));
    assert_eq!(setup.done(&["upstream", "logs", "loud", "--lines", "1"]).lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn logs_and_states_are_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let setup = setup();
    let host = setup.serve("flat", Era::Initialize);
    until("a state", || {
        !processes(&setup).is_empty() && setup.done(&["upstream", "logs", "one"]).contains("ready")
    });
    let folder = setup.folder.path().join("upstreams");
    let files = [&folder, &folder.join("running")].map(|folder| fs::read_dir(folder).unwrap());
    for entry in files.into_iter().flatten() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o077;
        assert_eq!(mode, 0, "{:?}", entry.path());
    }
    drop(host);
}

#[test]
fn an_upstream_is_removed_with_all_that_was_decided() {
    let setup = setup();
    let table = fs::read_to_string(&setup.config).unwrap();
    let before = "# Mine.\nexclude = [\"one.count\"]\n\n[upstreams.two] # stays\ncommand = \"b\"\n\n# Of one.\n";
    fs::write(&setup.config, format!("{before}{table}[upstreams.one.tools.extra]\nhide = true\n"))
        .unwrap();
    setup.done(&["upstream", "disable", "one"]);
    let refused = setup.run(&["upstream", "remove", "one"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("pass --yes"), "{refused:?}");
    let removed = setup.run(&["upstream", "remove", "one", "--yes"]);
    let said = String::from_utf8_lossy(&removed.stderr);
    assert!(removed.status.success(), "{said}");
    assert!(said.contains("still names one in exclude"), "{said}");
    let text = fs::read_to_string(&setup.config).unwrap();
    assert_eq!(
        text,
        "# Mine.\nexclude = [\"one.count\"]\n\n[upstreams.two] # stays\ncommand = \"b\"\n"
    );
    let left: Vec<_> = fs::read_dir(setup.folder.path().join("upstreams")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn all_upstreams_are_restarted_at_once() {
    let setup = setup();
    let mut host = setup.serve("flat", Era::Initialize);
    let first = host.read("one.pid", &json!({})).text().to_owned();
    setup.done(&["upstream", "restart", "--all"]);
    until("the restart", || {
        let next = host.read("one.pid", &json!({}));
        !next.is_error() && next.text() != first
    });
}

#[test]
fn single_tools_are_approved_with_what_they_do() {
    let setup = Setup::new("");
    let annotated = |name: &str, hint: &str, is: bool| {
        let mut tool = tool(name);
        tool["annotations"] = json!({ hint: is });
        tool
    };
    let tools = [
        annotated("look", "readOnlyHint", true),
        annotated("add", "destructiveHint", false),
        annotated("drop", "destructiveHint", true),
        tool("plain"),
    ];
    let tools = write(setup.folder.path(), &tools);
    let two = table("two", &tools, "");
    fs::write(&setup.config, format!("{}{two}", table("one", &tools, ""))).unwrap();
    let approve = |arguments: &[&str]| setup.run(&[&["upstream", "approve"], arguments].concat());
    let effects = || -> Vec<(String, String)> {
        let listed: Value = serde_json::from_str(&setup.done(&["list", "one", "--json"])).unwrap();
        let rows = listed["operations"].as_array().unwrap().iter();
        let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
        let mut rows: Vec<_> = rows.map(|row| (text(row, "id"), text(row, "effect"))).collect();
        rows.sort();
        rows
    };
    let pairs = |expected: &[(&str, &str)]| -> Vec<(String, String)> {
        expected.iter().map(|(id, effect)| (format!("one.{id}"), (*effect).to_owned())).collect()
    };
    let wrong = approve(&["one", "lok", "--yes"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean `look`?"), "{wrong:?}");
    assert!(approve(&["one", "l*", "add", "--yes", "--effects", "annotations"]).status.success());
    assert_eq!(effects(), pairs(&[("add", "write"), ("look", "read")]));
    // Others are added, and what is said of the first ones stays.
    assert!(approve(&["one", "--except", "drop", "--yes"]).status.success());
    assert_eq!(effects(), pairs(&[("add", "write"), ("look", "read"), ("plain", "destroy")]));
    let lock = fs::read_to_string(setup.folder.path().join("upstreams/one.lock.yaml")).unwrap();
    assert!(lock.contains("effect: read") && lock.contains("from: annotations"), "{lock}");
    // The configuration beats the approval.
    let config = fs::read_to_string(&setup.config).unwrap();
    let more = config.replacen("env =", "effects = { look = \"write\" }\nenv =", 1);
    fs::write(&setup.config, more).unwrap();
    assert_eq!(effects()[1].1, "write");
    let all = approve(&["--all", "--yes", "--json"]);
    assert!(all.status.success(), "{all:?}");
    let all: Value = serde_json::from_slice(&all.stdout).unwrap();
    assert_eq!(all["upstreams"].as_array().unwrap().len(), 2, "{all}");
    assert!(setup.done(&["list", "two"]).contains("two.plain"));
}

#[test]
fn a_tool_is_tried_before_it_is_approved() {
    let setup = Setup::new("");
    let mut echo = tool("arguments");
    echo["inputSchema"] = json!({ "type": "object" });
    let tools = write(setup.folder.path(), &[echo, tool("fails")]);
    fs::write(&setup.config, table("one", &tools, "")).unwrap();
    let try_it = |arguments: &[&str]| setup.run(&[&["upstream", "try", "one"], arguments].concat());
    let unasked = try_it(&["arguments"]);
    assert!(String::from_utf8_lossy(&unasked.stderr).contains("pass --yes"), "{unasked:?}");
    let tried = try_it(&["arguments", "--args", "{\"a\": 1.0}", "--yes"]);
    let (result, said) =
        (String::from_utf8_lossy(&tried.stdout), String::from_utf8_lossy(&tried.stderr));
    assert!(tried.status.success() && result.contains("{\\\"a\\\":1.0}"), "{result}{said}");
    assert!(said.contains(" ms, ") && said.contains(" tokens."), "{said}");
    let failed = try_it(&["fails", "--yes"]);
    assert!(String::from_utf8_lossy(&failed.stdout).contains("the disk is full"), "{failed:?}");
    assert!(!setup.done(&["list"]).contains("one.arguments"));
    let log = setup.done(&["upstream", "logs", "one"]);
    assert!(log.contains("the operator tried arguments, which answered"), "{log}");
}

/// A stand-in for a runtime of containers, which keeps its arguments and then is the server.
#[cfg(unix)]
#[test]
fn a_container_is_isolated_named_and_removed() {
    use std::os::unix::fs::PermissionsExt as _;

    let setup = Setup::new("");
    let tools = write(setup.folder.path(), &[tool("pid")]);
    let plain = table("one", &tools, "effects = { pid = \"read\" }");
    let line = plain.lines().find(|line| line.starts_with("command = ")).unwrap();
    let words: Vec<String> = serde_json::from_str(line.trim_start_matches("command = ")).unwrap();
    let calls = setup.folder.path().join("calls");
    let runtime = setup.folder.path().join("runtime");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >> {}\ncase $1 in run) exec {} ;; ps) echo 'dead00 OWNERS-0' ;; esac\n",
        calls.display(),
        words.join(" "),
    );
    fs::write(&runtime, script).unwrap();
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o755)).unwrap();
    let container = format!(
        "container = {{ image = \"mcp/x:1\", runtime = {:?}, mounts = [\"/notes:/notes:ro\"] }}\ncommand = [\"serve\", \"a b\"]",
        runtime.to_str().unwrap()
    );
    fs::write(&setup.config, plain.replace(line, &container)).unwrap();
    setup.approve("one");
    let mut host = setup.serve("flat", Era::Initialize);
    assert!(host.read("one.pid", &json!({})).text().parse::<u32>().is_ok());
    let kept = || fs::read_to_string(&calls).unwrap();
    let run = kept().lines().rfind(|line| line.starts_with("run ")).unwrap().to_owned();
    for expected in [
        "run --name toolwrit-one-",
        "--label toolwrit.owner=",
        "-e SCRIPTED_TOOLS ",
        "--rm -i --init --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --pids-limit 256 --memory 512m --network none",
        "-v /notes:/notes:ro mcp/x:1 serve a b",
    ] {
        assert!(run.contains(expected), "{expected}: {run}");
    }
    assert!(!run.contains("tools.json"), "values of variables are no arguments: {run}");
    let name = run.split(' ').nth(2).unwrap();
    // A process that is killed removes nothing, and what watches it does.
    host.client.kill();
    until("the removal", || kept().contains(&format!("rm -f {name}")));
    assert!(kept().contains("ps -a --filter label=toolwrit.owner"));
    let moved = fs::read_to_string(&setup.config).unwrap().replace("mcp/x:1", "mcp/x:2");
    fs::write(&setup.config, moved).unwrap();
    let listed = setup.run(&["upstream", "list"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("held"), "{listed:?}");
    let wrong =
        Setup::new("[upstreams.x]\ncontainer = { image = \"-v\" }\n").run(&["upstream", "list"]);
    assert_eq!(wrong.status.code(), Some(3), "{wrong:?}");
}

/// Two programs of one user do not see each other's states.
#[test]
fn another_configuration_has_other_processes() {
    let (one, other) = (setup(), setup());
    let arguments = ["serve", "--config", one.config.to_str().unwrap()];
    let client = Client::connect(toolwrit(), &arguments, Era::Initialize);
    until("its row", || processes(&one).len() == 1);
    assert!(processes(&other).is_empty());
    drop(client);
    let help = Command::new(toolwrit()).args(["upstream", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("remove") && help.contains("logs"), "{help}");
}
