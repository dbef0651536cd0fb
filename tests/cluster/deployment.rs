//! The files of the guide for Kubernetes and Compose, judged by what others have made of the specifications.

use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};

use toolwrit_tests::cluster::sample;

/// Runs a program of the checkers on a file; `None` if they are not installed.
fn check(program: &str, arguments: &[&str], name: &str, text: &str) -> Option<Output> {
    let program = workspace().join("tests/cluster/.venv/bin").join(program);
    if !met(&[Need::File(&program)], "tests/cluster/install") {
        return None;
    }
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    Some(Command::new(program).args(arguments).arg(file).output().unwrap())
}

fn of_kubernetes(text: &str) -> Option<Output> {
    check("kubernetes-validate", &["--strict", "--kubernetes-version", "1.29.0"], "file.yaml", text)
}

fn of_compose(text: &str) -> Option<Output> {
    let script: PathBuf = workspace().join("tests/cluster/compose.py");
    check("python", &[script.to_str().unwrap()], "compose.yaml", text)
}

#[test]
fn kubernetes_accepts_the_files_of_the_guide() {
    for (name, kinds) in [
        (
            "deployment.yaml",
            &[
                "secret",
                "configmap",
                "deployment",
                "service",
                "poddisruptionbudget",
                "horizontalpodautoscaler",
            ][..],
        ),
        ("vault.yaml", &["statefulset", "service"]),
    ] {
        let Some(checked) = of_kubernetes(sample(name)) else { return };
        let said = String::from_utf8(checked.stdout).unwrap();
        assert!(checked.status.success(), "{name}: {said}");
        for kind in kinds {
            assert!(said.contains(&format!("passed for resource {kind}/")), "{kind}: {said}");
        }
        // A misspelt key is found, so that the check can fail.
        let wrong = sample(name).replace("selector:", "selectors:");
        assert!(!of_kubernetes(&wrong).unwrap().status.success());
    }
}

#[test]
fn compose_accepts_the_file_of_the_guide() {
    let Some(checked) = of_compose(sample("compose.yaml")) else { return };
    assert!(checked.status.success(), "{checked:?}");
    let services = String::from_utf8(checked.stdout).unwrap();
    assert_eq!(services.trim(), "balancer database replica-a replica-b replica-c");
    let wrong = sample("compose.yaml").replace("depends_on:", "depend_on:");
    assert!(!of_compose(&wrong).unwrap().status.success());
}
