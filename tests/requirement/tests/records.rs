//! Records of skipped tests. They are kept beside the program, so a copy of this one in a folder of its own is run.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use toolwrit_requirement::{Need, met, skip, skipped};

/// Names the file that the test `needs` needs. It is set for the copy only.
const NEEDED: &str = "REQUIREMENT_FILE";

/// Runs in the copy.
#[test]
fn needs() {
    let Some(file) = env::var_os(NEEDED).map(PathBuf::from) else { return };
    met(&[Need::File(&file)], "touch it");
    if env::var_os("IMPOSSIBLE").is_some() {
        skip("it is\nimpossible");
    }
}

/// Runs in the copy.
#[test]
fn report() {
    if env::var_os(NEEDED).is_some() {
        for notice in skipped() {
            println!("<{notice}>");
        }
    }
}

/// Runs one of the above, and returns whether it passed, and the notices that it printed between angles.
fn run(copy: &Path, test: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(copy);
    command.args([test, "--exact", "--nocapture"]);
    command.env_remove("CI").env("CARGO_PKG_NAME", "own").env(NEEDED, copy.with_file_name("file"));
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let notices = said.split('<').skip(1).map(|rest| rest.split('>').next().unwrap());
    (output.status.success(), notices.collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_report_lists_the_tests_that_were_skipped_in_their_last_run() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("requirement");
    // Of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    let copy = folder.join("debug/deps/copy");
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    fs::copy(env::current_exe().unwrap(), &copy).unwrap();
    let file = copy.with_file_name("file");
    let none = (true, String::new());

    assert_eq!(run(&copy, "report", &[]), none);
    assert_eq!(run(&copy, "needs", &[("IMPOSSIBLE", "1")]), none);
    assert!(folder.join("skipped/own-needs").is_file());
    let missing = format!("needs: {} is missing. To install it: touch it", file.display());
    let both = format!("{missing}\nneeds: it is impossible");
    assert_eq!(run(&copy, "report", &[]), (true, both));

    // The second need is met, and the first one is still missing.
    run(&copy, "needs", &[("IMPOSSIBLE", "1")]);
    run(&copy, "needs", &[]);
    assert_eq!(run(&copy, "report", &[]), (true, missing));

    run(&copy, "needs", &[]);
    assert!(!run(&copy, "needs", &[("CI", "true")]).0, "it was skipped in CI");
    fs::write(&file, "").unwrap();
    assert_eq!(run(&copy, "needs", &[("CI", "true")]), none);
    assert_eq!(run(&copy, "report", &[]), none);
}
