//! Requirements of a test beyond cargo.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// A requirement.
#[derive(Debug, Clone, Copy)]
pub enum Need<'a> {
    /// A program, by name or path, whose `--version` is at least this `(major, minor)`.
    Program(&'a Path, (u32, u32)),
    /// A file or a folder.
    File(&'a Path),
}

/// Whether a test can run. If not, prints what is missing and the command that installs it, bypassing the
/// capture of test output. In CI (if the variable `CI` is set) it fails the test, because a skipped test
/// would look like a passed one.
pub fn met(needs: &[Need], install: &str) -> bool {
    let missing: Vec<String> = needs.iter().filter_map(missing).collect();
    if missing.is_empty() {
        return true;
    }
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test");
    let notice = format!("{test} cannot run: {}. To install it: {install}", missing.join("; "));
    assert!(std::env::var_os("CI").is_none(), "{notice}");
    let notice = format!("\n!!! SKIPPED: {notice}\n\n");
    std::io::stderr().write_all(notice.as_bytes()).expect("standard error is open");
    false
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
