//! Models reduced to what a caller may see.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::subsequence;
use toolwrit_manifest::policy::{focus_allows, role_allows};
use toolwrit_manifest::{Authority, Model, OperationId, View, emit, load, load_sources};

fn authority(path: &str) -> Authority {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    load(&root).unwrap_or_else(|problems| panic!("{problems}"))
}

fn governed(model: &Model) -> Vec<String> {
    model.governed_ids().map(|id| model[id].id.clone()).collect()
}

fn find_operation(model: &Model, id: &str) -> OperationId {
    model.operation_ids().find(|at| model[*at].id == id).unwrap()
}

#[test]
fn a_full_view_keeps_the_model() {
    let shipped = &AUTHORITIES[0];
    let ids = governed(shipped);
    let operations = ids.iter().map(String::as_str).collect();
    let focus = &shipped.focus[0].name;
    assert_eq!(shipped.narrowed(&View { operations, focus, role: None }), **shipped);
}

const WORKSHOP: &str = "toolwrit: 1
server: { name: workshop }
types:
  Part: { type: string }
  Secret: { fields: { lock: Lock } }
  Lock: { type: string }
categories:
  parts: { summary: Parts of machines. }
  vaults: { summary: What is locked away. }
focus:
  all: { allow: ['*'] }
  locked: { allow: [vaults], deny: [parts.scrap] }
roles:
  smith: { extends: helper, allow: ['*'] }
  helper: { extends: guest, allow: [parts], deny: [parts.scrap, vaults, { tag: hidden }] }
  guest: { allow: [{ effect: read, category: parts }], deny: [vaults.open] }
contexts:
  fixing: { keywords: [fix], include: [parts, vaults.open] }
  opening: { keywords: [open], include: [vaults] }
providers:
  key: { summary: The key of the vault. }
operations:
  parts.list:
    summary: List parts.
    effect: read
    returns: Part[]
    deprecated: { use: vaults.open }
  parts.scrap: { summary: Throw a part away., effect: destroy, confirm: true, params: { part: Part } }
  vaults.open: { summary: Open a vault., effect: read, requires: key, tags: [hidden], returns: Secret }
";

#[test]
fn hidden_names_appear_nowhere() {
    let workshop = load_sources("authority.yaml", |_| Ok(WORKSHOP.to_owned()))
        .unwrap_or_else(|problems| panic!("{problems}"));
    let operations = BTreeSet::from(["parts.list"]);
    let narrow = workshop.narrowed(&View { operations, focus: "all", role: Some("helper") });
    let yaml = emit::to_yaml(&narrow);
    let hidden =
        ["vault", "scrap", "Secret", "Lock", "key:", "hidden", "opening", "smith", "guest"];
    for word in hidden.into_iter().chain(["locked", "use:"]) {
        assert!(!yaml.contains(word), "{word} in\n{yaml}");
    }
    for word in ["parts.list", "Part:", "fixing", "helper", "effect: read"] {
        assert!(yaml.contains(word), "no {word} in\n{yaml}");
    }
}

/// An authority that is loaded once, and some of its operations.
static AUTHORITIES: LazyLock<[Authority; 2]> =
    LazyLock::new(|| ["authority.yaml", "tests/manifest/fixtures/complete.yaml"].map(authority));

fn authority_and_visible_operations() -> impl Strategy<Value = (&'static Authority, Vec<String>)> {
    (0..AUTHORITIES.len()).prop_flat_map(|at| {
        let authority = &AUTHORITIES[at];
        let ids = governed(authority);
        let count = ids.len();
        (Just(authority), subsequence(ids, 1..=count))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The rest of a narrowed model is a valid manifest with the same policy for its operations.
    #[test]
    fn a_narrowed_model_is_a_valid_manifest(
        (authority, shown) in authority_and_visible_operations(),
        role in any::<Option<prop::sample::Index>>(),
        focus in any::<prop::sample::Index>(),
    ) {
        let view = View {
            operations: shown.iter().map(String::as_str).collect(),
            focus: &focus.get(&authority.focus).name,
            role: role.map(|role| role.get(&authority.roles).name.as_str()),
        };
        // A cookbook is shown with all of its operations or not at all.
        let is_usable = |id: &&String| {
            let cookbook = authority.cookbook_of(find_operation(authority, id));
            cookbook.is_none_or(|cookbook| {
                cookbook.operations.iter().all(|used| shown.contains(&authority[*used].id))
            })
        };
        let expected: Vec<String> = shown.iter().filter(is_usable).cloned().collect();
        prop_assume!(!expected.is_empty());
        let narrow = authority.narrowed(&view);
        prop_assert_eq!(&governed(&narrow), &expected);
        prop_assert!(narrow.focus.iter().any(|mode| mode.name == view.focus));
        let roles = if view.role.is_some() { 1 } else { authority.roles.len() };
        prop_assert_eq!(narrow.roles.len(), roles);

        for id in governed(&narrow) {
            let (was, is) = (find_operation(authority, &id), find_operation(&narrow, &id));
            for at in narrow.focus_ids() {
                let old = authority.focus_ids().find(|old| authority[*old].name == narrow[at].name);
                let allowed = focus_allows(authority, old.unwrap(), was);
                prop_assert_eq!(focus_allows(&narrow, at, is), allowed);
            }
            for at in narrow.role_ids() {
                let old = authority.role_ids().find(|old| authority[*old].name == narrow[at].name);
                let allowed = role_allows(authority, old.unwrap(), was);
                prop_assert_eq!(role_allows(&narrow, at, is), allowed);
            }
        }

        let yaml = emit::to_yaml(&narrow);
        let read = |path: &str| {
            let cookbook = authority.cookbooks.iter().find(|cookbook| cookbook.file == path);
            Ok(cookbook.map_or(&yaml, |cookbook| &cookbook.text).clone())
        };
        let again = load_sources("narrow.yaml", read)
            .unwrap_or_else(|problems| panic!("{problems}\n{yaml}"));
        prop_assert_eq!(&narrow, &*again);
    }
}
