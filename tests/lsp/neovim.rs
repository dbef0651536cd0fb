//! Neovim's own client.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::vaults;

#[test]
fn neovim_completes_explains_and_diagnoses() {
    if !met(&[Need::Program(Path::new("nvim"), (0, 7))], "apt-get install neovim") {
        return;
    }
    let vault = vaults::empty();
    let note = vault.path().join("Note.md");
    fs::write(&note, "```toolwrit\ntool: vault.search\nmode: texts\nquery: a\n```\n").unwrap();
    let run = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-S"])
        .arg(workspace().join("tests/lsp/neovim.lua"))
        .env("TOOLWRIT", toolwrit())
        .env("VAULT", vault.path())
        .env("NOTE", &note)
        .envs([("LINE", "1"), ("COLUMN", "12")])
        .env("TOOLWRIT_DATA_DIR", vault.path().join(".data"))
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    let line = output.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    let result: Value = serde_json::from_str(line).unwrap_or_default();
    let all = || format!("{output}{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(result["diagnostics"][0]["line"], 2, "{}", all());
    assert!(result["completion"].as_array().unwrap().contains(&"vault.search".into()), "{}", all());
    assert!(result["hover"].as_str().unwrap().contains("vault.search(query: string"), "{}", all());
}
