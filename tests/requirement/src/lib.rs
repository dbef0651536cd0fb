//! What a run of the tests can do on its machine, and how much it should do. A test that lacks something is skipped: it says
//! so, and leaves a record for a report.
#![expect(clippy::expect_used, reason = "a fixture that fails must fail the test")]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number for a quick run, which is the default, or that for a full one, which a nightly run asks for by setting
/// `TOOLWRIT_TESTS` to `full`. For tests that are slow by design.
///
/// # Panics
/// If the variable has another value.
pub fn number<T>(quick: T, full: T) -> T {
    match std::env::var("TOOLWRIT_TESTS").as_deref() {
        Err(_) | Ok("") => quick,
        Ok("full") => full,
        Ok(other) => panic!("TOOLWRIT_TESTS is {other}, and its only value is full"),
    }
}

/// A requirement.
#[derive(Debug, Clone, Copy)]
pub enum Need<'a> {
    /// A program, by name or path, whose `--version` is at least this `(major, minor)`.
    Program(&'a Path, (u32, u32)),
    /// A file or a folder.
    File(&'a Path),
}

/// Whether a test can run. If not, it is skipped, as [`skip`] says: with what is missing, and the command that installs
/// it.
///
/// # Panics
/// In CI (if the variable `CI` is set) if something is missing, because a skipped test would look like a passed one.
pub fn met(needs: &[Need], install: &str) -> bool {
    let missing: Vec<String> = needs.iter().filter_map(missing).collect();
    if missing.is_empty() {
        forget();
        return true;
    }
    let why = format!("{}. To install it: {install}", missing.join("; "));
    assert!(std::env::var_os("CI").is_none(), "{}: {why}", test());
    skip(&why);
    false
}

/// Skips a test, or a part of it: prints why, bypassing the capture of test output, and keeps a record of it.
///
/// # Panics
/// If the record cannot be written.
pub fn skip(why: &str) {
    forget();
    let notice = format!("{}: {why}", test());
    fs::create_dir_all(records()).expect("the target folder is writable");
    let record = File::options().create(true).append(true).open(record());
    writeln!(record.expect("a record"), "{}", notice.replace('\n', " ")).expect("it is writable");
    let notice = format!("\n!!! SKIPPED: {notice}\n\n");
    std::io::stderr().write_all(notice.as_bytes()).expect("standard error is open");
}

/// Why tests were skipped when they last ran, sorted.
///
/// # Panics
/// If a record cannot be read.
pub fn skipped() -> Vec<String> {
    let mut notices = BTreeSet::new();
    for entry in fs::read_dir(records()).into_iter().flatten() {
        let text = fs::read_to_string(entry.expect("a record").path()).expect("it is readable");
        notices.extend(text.lines().map(str::to_owned));
    }
    notices.into_iter().collect()
}

/// The name of the test that runs on this thread.
fn test() -> String {
    std::thread::current().name().unwrap_or("a test").to_owned()
}

/// Removes the record of an earlier run, once: it must not hide that the test has run, and a test may have several needs.
fn forget() {
    thread_local!(static ASKED: Cell<bool> = const { Cell::new(false) });
    if !ASKED.replace(true) {
        // Most tests have none.
        let _ = fs::remove_file(record());
    }
}

/// The folder of the records, `<target>/skipped`.
fn records() -> PathBuf {
    let program = std::env::current_exe().expect("this program has a path");
    let folders = program.ancestors().skip(1);
    // Tests run from `<target>/<profile>/deps`, and other programs from `<target>/<profile>`.
    let mut folders = folders.skip_while(|folder| folder.ends_with("deps"));
    folders.nth(1).expect("<target>/<profile>").join("skipped")
}

/// The record of the test on this thread. Tests of several packages may have equal names.
fn record() -> PathBuf {
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let name = format!("{package} {}", test());
    let name = name.trim().replace(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)), "-");
    records().join(name)
}

fn missing(need: &Need) -> Option<String> {
    match need {
        Need::Program(program, at_least) => {
            let (name, (major, minor)) = (program.display(), at_least);
            match version(program) {
                None => Some(format!("{name} ({major}.{minor} or later) is missing")),
                Some(found) if found < *at_least => Some(format!(
                    "{name} is {}.{}, and {major}.{minor} or later is needed",
                    found.0, found.1
                )),
                Some(_) => None,
            }
        }
        Need::File(path) => (!path.exists()).then(|| format!("{} is missing", path.display())),
    }
}

/// The version that a program prints, such as `v20.1.0` or `Python 3.11.7`.
fn version(program: &Path) -> Option<(u32, u32)> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers =
        text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}
