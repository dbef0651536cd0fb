//! The pages in Chromium: accessibility by axe-core, errors on the console, width, and the search by keyboard.

use std::path::{Path, PathBuf};
use std::process::Command;

use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};

use crate::built;

const INSTALL: &str = "tests/site/install, and Chromium";

fn chromium() -> PathBuf {
    std::env::var_os("CHROMIUM").map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from)
}

#[test]
fn nothing_is_wrong_with_the_pages_in_a_browser() {
    let folder = workspace().join("tests/site");
    let (node, modules) = (Path::new("node"), folder.join("node_modules/puppeteer-core"));
    let browser = chromium();
    let needs = [Need::Program(node, (20, 0)), Need::File(&modules), Need::File(&browser)];
    if !met(&needs, INSTALL) {
        return;
    }
    let site = built(&[]);
    let output =
        Command::new(node).arg(folder.join("pages.mjs")).arg(site.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let wrong: Vec<String> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
