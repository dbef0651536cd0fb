//! What the guide, the example results of the reference and the README show is what the programs answer.
//! `UPDATE_GUIDE=1 cargo test -p toolwrit-tests --test command_line guide::` writes blocks that differ anew.
//!
//! These blocks are checked:
//!
//! - `console`: commands after `$ `, each followed by its output. They run in a user's home with the sample
//!   vault. A comment `<!-- $ COMMAND -->` before the block prepares the home, `<!-- model -->` configures a model that
//!   searches for `causeway` and then answers, and `<!-- obsidian -->` adds plugins. A server on HTTP runs until the
//!   block ends, on a free port that is shown as 8080.
//! - any block after `<!-- file PATH -->`: a file in the home of the commands below it.
//! - `json` after `<!-- call WORDS FLAGS JSON -->`: the answer to that tool call, by a server with these flags. Of
//!   several calls, the last answer is shown. The words say what there is: `lab` is the laboratory, for failures that a
//!   vault does not have, whose ids are not compared. `declining` and `agreeing` are users whom the server can ask.
//!   With `obsidian` the vault has plugins, and `Inbox.md` is open in a running Obsidian. With `model` there is the
//!   model as above, with `web` a site with one page. `sample` is the sample vault of users who have none.
//! - `json` after `<!-- get PATHS -->`: the answer of a server on HTTP to the last of these requests.
//! - `json` that is a tool call: some surface runs it. An error needs the comment with its call.
//! - `sh`: commands of our programs, which are not run, because they serve, or need what others provide. They are
//!   understood. A server on HTTP answers `curl`.
//! - `rust`: these lines stand in the file of the page in `rust/`, which is compiled.
//!
//! `..` stands for anything: as a line of output, within one, as a value, or as the rest of a list.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod blocks;
mod programs;
mod rust;
mod stand_ins;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use toolwrit_tests::program::workspace;

use blocks::{Block, blocks, stands_in};
use programs::{Home, answers, called, got, runs};

/// The programs of the guide whose commands must be understood.
const PROGRAMS: [&str; 3] = ["toolwrit", "toolwrit-jira", "wpnav"];

fn pages() -> Vec<PathBuf> {
    let folders = ["docs/src/guide", "docs/src/examples"].map(|folder| workspace().join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut pages: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    pages
}

/// The files that a page shows in some of its blocks, each with its path.
fn files<'a>(blocks: &[Block<'a>]) -> Vec<(&'a str, &'a str)> {
    let named = |block: &Block<'a>| Some((block.directive?.strip_prefix("file ")?, block.text));
    blocks.iter().filter_map(named).collect()
}

/// The text that a block should have, if it differs. `above` are the files that the page shows above it.
fn corrected(block: &Block<'_>, above: &[(&str, &str)]) -> Option<String> {
    match (block.language, block.directive) {
        (_, Some(directive)) if directive.starts_with("file ") => None,
        ("console", setup) => {
            let home = Home::with(above);
            if let Some(setup) = setup {
                home.prepare(setup);
            }
            let shown = home.session(block.text);
            (block.text != shown).then_some(shown)
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
        let blocks = blocks(&text);
        for (at, block) in blocks.iter().enumerate().rev() {
            let Some(correct) = corrected(block, &files(&blocks[..at])) else { continue };
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

/// The lines of a block of `sh` that begin with this program, without what a shell does with their output.
fn commands(block: &str, program: &str) -> Vec<String> {
    let joined = block.replace("\\\n", " ");
    let own = joined.lines().filter_map(|line| line.strip_prefix(program)?.strip_prefix(' '));
    own.map(|rest| format!("{program} {}", rest.split(" > ").next().unwrap_or(rest))).collect()
}

#[test]
fn every_command_of_the_guide_is_understood() {
    let mut wrong = String::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let blocks = blocks(&text);
        let shown = blocks.iter().enumerate().filter(|(_, block)| block.language == "sh");
        for (at, block) in shown {
            let home = Home::with(&files(&blocks[..at]));
            for command in PROGRAMS.iter().flat_map(|program| commands(block.text, program)) {
                let Some(printed) = home.misunderstood(&command) else { continue };
                writeln!(wrong, "{}: {command}: {printed}", page.display()).unwrap();
            }
            for request in commands(block.text, "curl") {
                answers(&request);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_rust_of_the_guide_is_compiled() {
    let mut compiled = 0;
    for page in pages() {
        let name = page.file_stem().unwrap().to_str().unwrap();
        let file = workspace().join(format!("tests/guide/rust/{name}.rs"));
        let text = fs::read_to_string(&page).unwrap();
        for block in blocks(&text).iter().filter(|block| block.language == "rust") {
            let code = fs::read_to_string(&file).unwrap_or_default();
            assert!(stands_in(block.text, &code), "not in {}:\n{}", file.display(), block.text);
            compiled += 1;
        }
    }
    assert!(compiled > 0, "no page has Rust");
}

#[test]
fn the_readme_has_what_the_smallest_surface_costs() {
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let costs: Value = serde_json::from_str(&Home::new().run("toolwrit tokens --json")).unwrap();
    // The first of a surface has the first focus mode, and the split that is the default.
    let costs = costs["surfaces"].as_array().unwrap();
    let of = |surface: &str| costs.iter().find(|cost| cost["surface"] == surface).unwrap();
    let shown = format!("between {} and 11,000 tokens", of("meta")["tokens"]);
    assert!(readme.contains(&shown), "{shown}");
    assert!((8000..=11_000).contains(&of("flat")["tokens"].as_u64().unwrap()));
}

#[test]
fn examples_that_differ_are_noticed() {
    let page = "```console\n$ toolwrit list active\nnothing\n```\n\n<!-- call {\"name\": \"search_tools\", \
                \"arguments\": {}} -->\n```json\n{ \"results\": [] }\n```\n\n```console\n$ toolwrit list \
                active\n..\nactive.read    read     Read the note that is open in Obsidian.\n..\n```\n";
    let found = blocks(page);
    let corrections: Vec<bool> =
        found.iter().map(|block| corrected(block, &[]).is_some()).collect();
    assert_eq!(corrections, [true, true, false]);
}
