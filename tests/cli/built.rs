//! The tests run the server that cargo built last, and fail if that is not the one of the sources.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use toolwrit_tests::program::toolwrit;

/// Set for the copy only.
const IS_COPY: &str = "BUILT_IN_A_COPY";

/// Runs in a copy of this program, beside which is a server of its own.
#[test]
fn the_server_beside_the_copy() {
    if std::env::var_os(IS_COPY).is_some() {
        println!("It is {}.", toolwrit().display());
    }
}

/// What the copy says.
fn said(copy: &Path) -> String {
    let (_, module) = module_path!().split_once("::").unwrap();
    let test = format!("{module}::the_server_beside_the_copy");
    let mut command = Command::new(copy);
    let output = command.args([&test, "--exact", "--nocapture"]).env(IS_COPY, "1").output();
    let output = output.unwrap();
    [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat()
}

fn write(path: &Path, text: &str, time: SystemTime) {
    fs::write(path, text).unwrap();
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_server_that_is_not_that_of_its_sources_is_refused() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let copy = folder.path().join("debug/deps/copy");
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    fs::hard_link(std::env::current_exe().unwrap(), &copy).unwrap();
    let server =
        folder.path().join("debug").join(format!("toolwrit{}", std::env::consts::EXE_SUFFIX));
    let source = |name: &str| folder.path().join(name);
    let built = SystemTime::now();
    let earlier = built - Duration::from_mins(1);

    let missing = said(&copy);
    assert!(missing.contains("toolwrit is missing. To build it: cargo build"), "{missing}");
    write(&server, "", built);
    let it = format!("It is {}.", server.display());
    assert!(said(&copy).contains(&it), "without a list of its sources");
    let names =
        ["main.rs", "gone.rs", "a manifest.yaml"].map(|name| source(name).display().to_string());
    let names = names.map(|name| name.replace(' ', "\\ ")).join(" ");
    fs::write(server.with_extension("d"), format!("{}: {names}\n", server.display())).unwrap();
    write(&source("main.rs"), "", earlier);
    write(&source("a manifest.yaml"), "", earlier);
    assert!(said(&copy).contains(&it), "as cargo built it");
    write(&source("a manifest.yaml"), "", built + Duration::from_mins(1));
    let older = said(&copy);
    let manifest = source("a manifest.yaml");
    assert!(older.contains(&format!("older than its source {}", manifest.display())), "{older}");
}
