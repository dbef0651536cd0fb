//! Files that sync programs have marked.

use toolwrit_vault::{Depth, Folder, IfMissing, SyncState, VaultError, WriteMode};

use crate::{Sandbox, never, path};

#[test]
fn conflicting_versions_have_a_state() {
    let sandbox = Sandbox::new();
    let conflicts = [
        "Plan (Conflicted copy phone 202608281200).md",
        "Plan (Ada's conflicted copy 2026-08-28).md",
        "Plan (conflicted copy 2026-08-28 120000).md",
        "Plan (conflict 2).md",
        "Plan.sync-conflict-20260828-120000-ABCDEFG.md",
        "picture (Case Conflict).png",
    ];
    let plain = ["Plan.md", "Conflict.md", "Notes on (conflict) theory.md", "Plan (2).md"];
    for name in conflicts.iter().chain(&plain) {
        sandbox.put(name, "x");
    }
    let listing = sandbox.vault.list(&Folder::ROOT, Depth::SHALLOW, None, &never).unwrap();
    assert_eq!(listing.entries.len(), conflicts.len() + plain.len());
    for entry in listing.entries {
        let expected = conflicts.contains(&entry.path.as_str()).then_some(SyncState::Conflict);
        assert_eq!(entry.state, expected, "{}", entry.path);
    }
}

#[test]
fn files_that_are_only_in_icloud_are_listed_and_not_replaced() {
    let sandbox = Sandbox::new();
    sandbox.put("a/.Plan.md.icloud", "bplist00");
    sandbox.put("a/Other.md", "x");
    sandbox.put("z.md", "x");
    let vault = &sandbox.vault;
    let listing = vault.list(&Folder::ROOT, Depth::DEEP, None, &never).unwrap();
    let listed: Vec<_> =
        listing.entries.iter().map(|entry| (entry.path.as_str(), entry.state)).collect();
    assert_eq!(
        listed,
        [
            ("a", None),
            ("a/Other.md", None),
            ("a/Plan.md", Some(SyncState::NotDownloaded)),
            ("z.md", None)
        ]
    );
    let before = sandbox.files();
    let plan = path("a/Plan");
    for error in [
        vault.read(&plan, None).unwrap_err(),
        vault.write(&plan, "new", WriteMode::Overwrite, None).unwrap_err(),
        vault.append(&plan, "new", IfMissing::Create, None).unwrap_err(),
    ] {
        assert!(matches!(error, VaultError::NotDownloaded { .. }), "{error:?}");
    }
    assert_eq!(sandbox.files(), before);
}
