//! What the guide and the example results of the reference show is what the programs answer.
//! `UPDATE_GUIDE=1 cargo test -p toolwrit-tests --test guide` writes blocks that differ anew.
//!
//! Five kinds of blocks are checked:
//!
//! - `console`: commands after `$ `, each followed by its output. They run in a user's home with the sample
//!   vault. A comment `<!-- $ COMMAND -->` before the block prepares the home.
//! - `json` after `<!-- call FLAGS JSON -->`: the answer to that tool call, by a server with these flags. Of
//!   several calls, the last answer is shown. `call lab` calls the laboratory, for failures that a vault does
//!   not have; its ids are not compared. In `call declining` the user declines what the server asks. In `call
//!   obsidian` the vault has plugins, and `Inbox.md` is open in Obsidian. In `call web` a site answers with one page.
//! - `json` after `<!-- get PATHS -->`: the answer of a server on HTTP to the last of these requests.
//! - `json` that is a tool call: some surface runs it. An error needs the comment with its call.
//! - `sh`: commands of the program, which are not run. Their flags exist.
//!
//! `..` stands for anything: as a line of output, as a value, or as the rest of a list.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod blocks;
mod programs;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use toolwrit_tests::program::workspace;

use blocks::{Block, blocks};
use programs::{Home, called, got, runs};

fn pages() -> Vec<PathBuf> {
    let folders = ["docs/src/guide", "docs/src/examples"].map(|folder| workspace().join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut pages: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    pages
}

/// The text that a block should have, if it differs.
fn corrected(block: &Block<'_>) -> Option<String> {
    match (block.language, block.directive) {
        ("console", setup) => {
            let home = Home::new();
            if let Some(setup) = setup {
                home.run(setup.strip_prefix("$ ").unwrap());
            }
            let shown = home.session(block.text);
            (!blocks::same_lines(block.text, &shown)).then_some(shown)
        }
        ("json", Some(directive)) => {
            let answer = match directive.split_once(' ').unwrap() {
                ("call", call) => called(call),
                ("get", paths) => got(paths),
                (other, _) => panic!("unknown directive {other}"),
            };
            let shown: Value = serde_json::from_str(block.text).unwrap_or_default();
            let same = blocks::same_value(&shown, &answer);
            let correct = (!same).then(|| blocks::abridged(&shown, answer));
            correct.map(|correct| format!("{}\n", serde_json::to_string_pretty(&correct).unwrap()))
        }
        ("json", None) => {
            let value: Value = serde_json::from_str(block.text).unwrap_or_default();
            assert!(value["error"].is_null(), "an answer without its call: {value}");
            let is_call = value["name"].is_string() && value["arguments"].is_object();
            assert!(!is_call || runs(&value), "no surface runs {value}");
            None
        }
        _ => None,
    }
}

#[test]
fn every_example_of_the_guide_is_what_the_programs_answer() {
    let is_update = std::env::var_os("UPDATE_GUIDE").is_some();
    let mut wrong = String::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let mut corrected_page = text.clone();
        // From the last to the first, so that the places of the others stay.
        for block in blocks(&text).iter().rev() {
            let Some(correct) = corrected(block) else { continue };
            corrected_page.replace_range(block.place.clone(), &correct);
            let line = text[..block.place.start].lines().count() + 1;
            writeln!(wrong, "{}:{line} should be:\n{correct}", page.display()).unwrap();
        }
        if is_update && corrected_page != text {
            fs::write(&page, corrected_page).unwrap();
        }
    }
    assert!(
        wrong.is_empty() || is_update,
        "run with UPDATE_GUIDE=1 to correct the guide.\n{wrong}"
    );
}

/// The commands of this program in a block of `sh`, without what a shell does with their output.
fn commands(block: &str) -> Vec<String> {
    let joined = block.replace("\\\n", " ");
    let own = joined.lines().filter(|line| line.starts_with("toolwrit "));
    own.map(|line| line.split(" > ").next().unwrap_or(line).to_owned()).collect()
}

/// Commands whose output is not shown are not run, because they serve, or need what others provide. Their flags exist.
#[test]
fn every_command_of_the_guide_is_understood() {
    let mut wrong = String::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let shown = blocks(&text).into_iter().filter(|block| block.language == "sh");
        for command in shown.flat_map(|block| commands(block.text)) {
            // Files that are named must exist, and what follows `--command` is a command of another program.
            if ["--manifest ", "--config ", "--command "].iter().any(|own| command.contains(own)) {
                continue;
            }
            // Help is printed only if what stands before it is understood.
            let printed = Home::new().run(&format!("{command} --help"));
            if !printed.contains("Usage: ") || printed.starts_with("error") {
                writeln!(wrong, "{}: {command}: {printed}", page.display()).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn examples_that_differ_are_noticed() {
    let page = "```console\n$ toolwrit list active\nnothing\n```\n\n<!-- call {\"name\": \"search_tools\", \
                \"arguments\": {}} -->\n```json\n{ \"results\": [] }\n```\n\n```console\n$ toolwrit list \
                active\n..\nactive.read    read     Read the note that is open in Obsidian.\n..\n```\n";
    let found = blocks(page);
    let corrections: Vec<bool> = found.iter().map(|block| corrected(block).is_some()).collect();
    assert_eq!(corrections, [true, true, false]);
}
