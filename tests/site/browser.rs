//! The pages in Chromium: accessibility by axe-core, errors on the console, width, and use by keyboard.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met};

use crate::site::built;

const INSTALL: &str = "tests/site/install, and Chromium";
/// The pages of a served site to open, a sample: their content is that of the site in a folder.
const SAMPLE: [&str; 3] = ["index", "operations/vault/read", "reference/policy"];

fn chromium() -> PathBuf {
    std::env::var_os("CHROMIUM").map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from)
}

/// What a script finds in a browser, as JSON. `None` if there is no browser.
pub(crate) fn run(script: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    let folder = workspace().join("tests/site");
    let (node, modules) = (Path::new("node"), folder.join("node_modules/puppeteer-core"));
    let browser = chromium();
    let needs = [Need::Program(node, (20, 0)), Need::File(&modules), Need::File(&browser)];
    if !met(&needs, INSTALL) {
        return None;
    }
    let output = Command::new(node).arg(folder.join(script)).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(output.stdout)
}

fn nothing_is_wrong(site: &str, pages: &[&str]) {
    let pages = json!(pages).to_string();
    let Some(found) = run("pages.mjs", &[site, &pages]) else { return };
    let wrong: Vec<String> = serde_json::from_slice(&found).unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nothing_is_wrong_with_the_pages_in_a_browser() {
    let older = workspace().join("manifest/authority.yaml");
    let site = built(&["--since", older.to_str().unwrap()]);
    nothing_is_wrong(site.path().to_str().unwrap(), &[]);
}

/// The policy of the server for scripts, styles and requests holds, and its search leads to the operation.
#[test]
fn nothing_is_wrong_with_a_served_site_in_a_browser() {
    let home = Home::new();
    let server =
        Server::start(home.command(toolwrit(), &["docs", "serve", "--http", "127.0.0.1:0"]));
    nothing_is_wrong(&format!("http://{}/docs/", server.address()), &SAMPLE);
}
