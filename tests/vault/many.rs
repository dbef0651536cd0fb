//! Changes of more notes than files may be open.

use std::fs;
use std::process::Command;

use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::files::put;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

#[test]
fn many_notes_are_changed_with_few_open_files() {
    let (home, vault) = (Home::new(), vaults::empty());
    put(&vault.path().join("Hub.md"), "hub\n");
    for number in 0..5000 {
        put(&vault.path().join(format!("{}/Note {number}.md", number % 1700)), "[[Hub]]\n");
    }
    let call = |arguments: &[&str]| {
        let mut shell = Command::new("sh");
        let limited = r#"ulimit -n 256 && exec "$0" call "$@" --json"#;
        shell
            .args(["-c", limited])
            .arg(toolwrit())
            .args(arguments)
            .arg("--vault")
            .arg(vault.path());
        shell.env("XDG_DATA_HOME", home.path()).env("XDG_CACHE_HOME", home.path());
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let note = vault.path().join("7/Note 7.md");
    let renamed = call(&["vault.rename", "--path", "Hub", "--name", "Center"]);
    assert_eq!(renamed["rewritten"].as_array().unwrap().len(), 5000);
    assert_eq!(fs::read_to_string(&note).unwrap(), "[[Center]]\n");
    let undone = call(&["vault.undo"]);
    assert_eq!(undone["undone"].as_array().unwrap().len(), 5001);
    assert_eq!(fs::read_to_string(&note).unwrap(), "[[Hub]]\n");
    let deleted = call(&["vault.bulk_delete", "--match", "Note *.md", "--yes"]);
    assert_eq!(deleted["total"], 5000);
    assert!(!note.exists());
    call(&["vault.undo"]);
    assert_eq!(fs::read_to_string(&note).unwrap(), "[[Hub]]\n");
}
