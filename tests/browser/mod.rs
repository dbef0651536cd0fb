//! The tool browser in Chromium, and the types of its scripts.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod forms;
mod large;
mod sign_in;
mod status;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::{lab, toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::vaults;

const DRIVER: &str = "tests/site/install, and Chromium";
const TYPES: &str = "tests/browser/install";

/// A note that would run a script in a page that trusts it.
const HOSTILE: &str = "# Hostile\n\n<img src=x onerror=\"globalThis.hit = 1\">\n\n\
    <script>globalThis.hit = 2</script>\n\n[press](javascript:globalThis.hit=3) ![gone](https://example.org/a.png)\n\n\
    | a | b |\n| --- | --- |\n| <b onclick=\"hit=4\">x</b> | `code` |\n";

fn chromium() -> PathBuf {
    std::env::var_os("CHROMIUM").map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from)
}

/// Runs a script in Node that drives Chromium, and fails with what is wrong. Returns false if they are not installed.
fn driven(script: &str, arguments: &[&str]) -> bool {
    let Some(output) = output(script, arguments) else { return false };
    let wrong: Vec<String> = serde_json::from_slice(&output).unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    true
}

/// What a script writes. `None` if there is no browser.
fn output(script: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    let folder = workspace().join("tests");
    let (node, driver) = (Path::new("node"), folder.join("site/node_modules/puppeteer-core"));
    let browser = chromium();
    let needs = [Need::Program(node, (20, 0)), Need::File(&driver), Need::File(&browser)];
    if !met(&needs, DRIVER) {
        return None;
    }
    let script = folder.join("browser").join(script);
    let programs = lab().parent().unwrap().to_str().unwrap();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    let output = Command::new(node).arg(script).args(arguments).env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(output.stdout)
}

#[test]
fn people_call_operations_in_a_browser() {
    let (home, vault) = (Home::new(), vaults::empty());
    for (name, text) in [
        ("Hostile.md", HOSTILE),
        ("Inbox.md", "# Inbox\n\n- [ ] a lantern\n"),
        ("Old.md", "# Old\n"),
    ] {
        fs::write(vault.path().join(name), text).unwrap();
    }
    let place = vault.path().to_str().unwrap();
    let flags = ["browse", "--no-open", "--vault", place];
    let server = Server::start(home.command(toolwrit(), &flags));
    if driven("page.mjs", &[&server.url, place]) {
        let inbox = fs::read_to_string(vault.path().join("Inbox.md")).unwrap();
        assert_eq!(inbox, "# Inbox\n\n- [ ] a lantern\n- [ ] a second one");
        assert!(!vault.path().join("Old.md").exists());
    }
}

#[test]
fn the_scripts_of_the_page_have_sound_types() {
    let folder = workspace().join("tests/browser");
    let compiler = folder.join("node_modules/typescript/lib/tsc.js");
    let node = Path::new("node");
    if !met(&[Need::Program(node, (20, 0)), Need::File(&compiler)], TYPES) {
        return;
    }
    let output = Command::new(node).args([&compiler, Path::new("-p"), &folder]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn no_script_of_the_page_writes_markup() {
    let assets = workspace().join("docs/browser/assets");
    for entry in fs::read_dir(assets).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "js") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for forbidden in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "DOMParser",
            ".style.",
        ] {
            assert!(!text.contains(forbidden), "{}: {forbidden}", path.display());
        }
        assert!(text.starts_with("// @ts-check\n"), "{}", path.display());
    }
}
