//! `--tools` and `--exclude`: the operations that a server offers.

use std::collections::BTreeSet;

use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::program;

use crate::policy::{Face, Manifest, listed, serve, vault};

/// The selected operations, the excluded ones, and whether the server is read-only.
const CHOICES: [(&[&str], &[&str], bool); 12] = [
    (&["vault.read", "vault.list"], &[], false),
    (&["effect:read"], &[], false),
    (&["tag:tidy"], &[], false),
    (&["category:vault"], &[], false),
    (&["vault.*"], &["effect:destroy"], false),
    (&[], &["vault.bulk_delete", "vault.move"], false),
    (&["*"], &["*"], false),
    (&["vault.read"], &["vault.read"], false),
    (&["tag:tidy", "vault.read"], &["effect:write"], true),
    (&["effect:destroy"], &[], true),
    (&[], &["tag:bulk"], true),
    (&["get_vault_file"], &[], false),
];

#[test]
fn exclusion_beats_inclusion_and_both_hide() {
    let manifest = Manifest::shipped();
    for (tools, exclude, read_only) in CHOICES {
        let (included, excluded) = (tools.join(","), exclude.join(","));
        let mut flags = Vec::new();
        if !tools.is_empty() {
            flags.extend(["--tools", &included]);
        }
        if !exclude.is_empty() {
            flags.extend(["--exclude", &excluded]);
        }
        flags.extend(read_only.then_some("--read-only"));
        let folder = vault();
        let mut client = serve(folder.path(), Face::Flat, &flags);
        let takes = |set: &[&str], operation| {
            set.iter().any(|selector| {
                // An alias stands for its operation.
                let selector = if *selector == "get_vault_file" { "vault.read" } else { selector };
                Manifest::flag_selects(selector, operation)
            })
        };
        let mut expected = BTreeSet::new();
        for operation in &manifest.operations {
            let offered =
                (tools.is_empty() || takes(tools, operation)) && !takes(exclude, operation);
            let verdict = manifest.verdict("full", "owner", !read_only, operation);
            let tool = Face::Flat.tool_for(operation);
            let arguments = Face::Flat.envelope(operation, &operation.id);
            let code = client.call(&tool, &arguments).code();
            if offered {
                assert!(verdict.agrees_with(&code), "{flags:?} {}: {code}", operation.id);
            } else {
                // The value that names a hidden operation of a merged tool does not exist.
                let is_no_value = operation.merged.is_some() && code == "VALIDATION_ERROR";
                assert!(is_no_value || code == "TOOL_NOT_FOUND", "{flags:?} {}", operation.id);
            }
            if offered && verdict == crate::policy::manifest::Verdict::Visible {
                expected.insert(tool);
            }
        }
        assert_eq!(BTreeSet::from_iter(listed(&mut client)), expected, "{flags:?}");
    }
}

#[test]
fn a_name_that_does_not_exist_is_an_invalid_configuration() {
    let folder = vault();
    let vault = folder.path().to_str().unwrap();
    let wrong: [[&str; 2]; 6] = [
        ["--tools", "vault.raed"],
        ["--exclude", "vault.raed"],
        ["--exclude", "effect:none"],
        ["--tools", "tag:nothing"],
        ["--focus", "reading"],
        ["--role", "admin"],
    ];
    for flags in wrong {
        let arguments = [&["serve", "--vault", vault], flags.as_slice()].concat();
        let (code, said) = Client::start(program::toolwrit(), &arguments).close();
        assert_eq!(code, Some(3), "{flags:?}");
        assert!(said.is_empty(), "{flags:?}: standard output belongs to the protocol: {said:?}");
    }
}
