//! Changes of the authority: handles of an earlier authority keep their meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolwrit_core::authority::{
    AddedCategory, Authority, DeclaredContext, DynamicOperation, Effect, InvalidDynamicOperation,
    Joining, LiveAuthority, Name, Operation, OperationHandle, Role, ServerInfo, Tables, contains,
};
use toolwrit_core::policy::{Choice, Policy, Selector};

use toolwrit_requirement::number;

use crate::rows::{category, focus, name, operation, provider, role};

fn tables() -> Tables {
    let server = ServerInfo { version: "1".to_owned(), logging: false, ..Tables::empty().server };
    Tables {
        server,
        timeout: Duration::from_secs(1),
        categories: Arc::new([category("own", "Own", ""), category("new", "New", "")]),
        operations: Arc::new([
            operation("own.first", "own_first").into(),
            operation("own.second", "own_second").into(),
        ]),
        joining: Arc::new([Joining {
            category: 1,
            provider: 0,
            most: Effect::Write,
            whole: false,
        }]),
        names: Arc::new([
            name("own.first", 0),
            name("own.second", 1),
            name("own_first", 0),
            name("own_second", 1),
        ]),
        focus: Arc::new([focus(&[7], 7)]),
        roles: Arc::new([role("owner", 0b11, &[7], 7), role("reader", 0b01, &[1], 1)]),
        policy: Arc::new([vec![vec![0b11], vec![0b01]]]),
        contexts: Arc::new([DeclaredContext {
            name: "reading".to_owned(),
            keywords: Vec::new(),
            patterns: Vec::new(),
            subjects: Vec::new(),
            threshold: 0.5,
            operations: vec![0b01],
            joining: vec![1],
        }]),
        providers: Arc::new([provider("plugins"), provider("others")]),
        ..Tables::empty()
    }
}

fn authority() -> Authority {
    Authority::new(tables())
}

fn dynamic(id: &str, effect: Effect) -> DynamicOperation {
    let schema = Map::from_iter([("type".to_owned(), Value::from("object"))]);
    let operation = DynamicOperation::new(id, "A dynamic operation.", schema);
    DynamicOperation { effect: Some(effect), ..operation }
}

fn id(name: u8) -> String {
    format!("new.plugins:op{name}")
}

#[derive(Debug, Clone)]
enum Step {
    /// The operations that the provider offers from now on, and whether each is a read.
    Provide(BTreeMap<u8, bool>),
    /// Keeps the operation at this position, if there is one.
    Keep(usize),
    /// Replaces the authority below the dynamic operations by other tables with the same names.
    Replace,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => prop::collection::btree_map(0..80u8, any::<bool>(), 0..40).prop_map(Step::Provide),
        4 => (0..90usize).prop_map(Step::Keep),
        1 => Just(Step::Replace),
    ]
}

/// Returns the same tables with the operations in reverse order.
fn reversed_tables() -> Authority {
    let declared = tables();
    let names =
        declared.names.iter().map(|name| Name { operation: 1 - name.operation, ..name.clone() });
    let reversed = |set: &[u64]| vec![(set[0] & 1) << 1 | set[0] >> 1];
    let roles = declared
        .roles
        .iter()
        .map(|role| Role { operations: reversed(&role.operations), ..role.clone() });
    let contexts = declared.contexts.iter().map(|context| DeclaredContext {
        operations: reversed(&context.operations),
        ..context.clone()
    });
    Authority::new(Tables {
        operations: declared.operations.iter().rev().cloned().collect(),
        names: names.collect(),
        roles: roles.collect(),
        policy: Arc::new([declared.policy[0].iter().map(|set| reversed(set)).collect()]),
        contexts: contexts.collect(),
        ..declared.clone()
    })
}

/// Checks that names, sets and rows of an authority refer to the same operations.
fn check(authority: &Authority, joined: &BTreeSet<(String, bool)>) {
    let tables = authority.tables();
    let ids: BTreeSet<&str> =
        tables.operations.iter().map(|operation| operation.id.as_str()).collect();
    let expected = joined.iter().map(|(id, _)| id.as_str());
    assert_eq!(ids, expected.chain(["own.first", "own.second"]).collect());
    assert_eq!(ids.len(), tables.operations.len());
    assert!(tables.names.is_sorted_by_key(|name| &name.name));
    for (at, operation) in tables.operations.iter().enumerate() {
        for name in [&operation.id, &operation.wire_name] {
            let found = tables.lookup(name).map(|name| usize::from(name.operation));
            assert_eq!(found, Some(at), "{name}");
        }
        let is_read = joined.contains(&(operation.id.clone(), true));
        let reads = is_read || operation.id == "own.first";
        assert!(contains(&tables.roles[0].operations, at));
        assert_eq!(contains(&tables.roles[1].operations, at), reads, "{}", operation.id);
        assert_eq!(contains(&tables.policy[0][1], at), reads, "{}", operation.id);
        assert_eq!(contains(&tables.contexts[0].operations, at), reads, "{}", operation.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(number(200, 2000)))]

    #[test]
    fn a_handle_keeps_its_meaning_when_the_authority_changes(steps in prop::collection::vec(step(), 1..30)) {
        let live = LiveAuthority::new(authority());
        let mut policy = Policy::new(authority(), &Choice {
            role: Some("reader".to_owned()),
            exclude: vec!["own.first".to_owned()],
            ..Choice::default()
        }).unwrap();
        let mut joined: BTreeSet<(String, bool)> = BTreeSet::new();
        let mut kept: Vec<(OperationHandle, String)> = Vec::new();
        for step in steps {
            match step {
                Step::Provide(offered) => {
                    joined = offered.iter().map(|(name, reads)| (id(*name), *reads)).collect();
                    let effect = |reads| if reads { Effect::Read } else { Effect::Write };
                    let offered = joined.iter().map(|(id, reads)| dynamic(id, effect(*reads)));
                    prop_assert_eq!(live.provide("plugins", offered.collect()), Vec::new());
                }
                Step::Keep(at) => {
                    let now = live.now();
                    if let Some(operation) = now.tables().operations.get(at) {
                        kept.push((now.operation(at), operation.id.clone()));
                    }
                }
                Step::Replace => prop_assert_eq!(live.replace(reversed_tables()), Vec::<InvalidDynamicOperation>::new()),
            }
            let now = live.now();
            check(&now, &joined);
            for (handle, id) in &kept {
                prop_assert_eq!(&handle.row().id, id);
                let found = handle.authority().tables().lookup(id).unwrap();
                prop_assert_eq!(usize::from(found.operation), handle.index());
            }
            policy = policy.over(&now);
            let visible: BTreeSet<&str> = policy.visible().map(|(_, operation)| operation.id.as_str()).collect();
            let reads = joined.iter().filter(|(_, reads)| *reads).map(|(id, _)| id.as_str());
            prop_assert_eq!(visible, reads.collect::<BTreeSet<_>>());
        }
    }
}

#[test]
fn an_invalid_operation_is_refused_and_the_others_join() {
    let live = LiveAuthority::new(authority());
    let refused = |operation: DynamicOperation| {
        let good = dynamic("new.plugins:good", Effect::Read);
        let mut refused = live.provide("plugins", vec![operation, good]);
        assert!(live.now().tables().lookup("plugins:good").is_some(), "also without its category");
        assert_eq!(refused.len(), 1);
        refused.remove(0)
    };
    let long = format!("new.plugins:{}", "x".repeat(200));
    for id in [
        "other.plugins:op",
        "own.plugins:op",
        "new.others:op",
        "new.op",
        "new.plugins:",
        "new.plugins.op",
    ] {
        let expected =
            InvalidDynamicOperation::Id { id: id.to_owned(), provider: "plugins".to_owned() };
        assert_eq!(refused(dynamic(id, Effect::Read)), expected);
    }
    assert_eq!(refused(dynamic(&long, Effect::Read)), InvalidDynamicOperation::TooLong(long));
    let (id, effect, most) = ("new.plugins:op".to_owned(), Effect::Destroy, Effect::Write);
    let undeclared = DynamicOperation { effect: None, ..dynamic(&id, Effect::Read) };
    let too_strong = InvalidDynamicOperation::Effect { id: id.clone(), effect, most };
    assert_eq!(refused(undeclared), too_strong, "undeclared counts as destroy");
    for schema in [
        json!({}),
        json!({"type": "object", "properties": 5}),
        json!({"type": "object", "$ref": "https://example.com/schema.json"}),
    ] {
        let input_schema = schema.as_object().cloned().unwrap();
        let operation = DynamicOperation { input_schema, ..dynamic(&id, Effect::Read) };
        assert!(matches!(refused(operation), InvalidDynamicOperation::Schema { .. }), "{schema}");
    }
    let same = dynamic("new.plugins:good", Effect::Write);
    let id = "new.plugins:good".to_owned();
    assert_eq!(refused(same), InvalidDynamicOperation::Taken { id: id.clone(), name: id });
}

#[test]
fn an_unchanged_offer_changes_nothing() {
    let live = LiveAuthority::new(authority());
    let offer = || vec![dynamic("new.plugins:a", Effect::Read)];
    live.provide("plugins", offer());
    let before = live.now().version();
    live.provide("plugins", offer());
    assert_eq!(live.now().version(), before);
}

/// An authority with the categories `a` and `a_b`, and the offer of each: `a.b_c` and `a_b.c`, both the tool `a_b_c`.
fn rivals(seniority: [u64; 2]) -> (Authority, [(String, Vec<DynamicOperation>); 2]) {
    let category = |name: &str| AddedCategory {
        name: name.to_owned(),
        title: name.to_owned(),
        summary: String::new(),
    };
    let authority = authority().with_categories(&["a", "a_b"].map(category)).unwrap();
    let offer = |provider: &str, id: &str, seniority| {
        let operation = DynamicOperation { seniority, ..dynamic(id, Effect::Read) };
        (provider.to_owned(), vec![operation])
    };
    (authority, [offer("a", "a.b_c", seniority[0]), offer("a_b", "a_b.c", seniority[1])])
}

#[test]
fn the_senior_of_two_operations_has_the_name_whichever_is_offered_first() {
    for (seniority, winner) in [([1, 2], "a.b_c"), ([2, 1], "a_b.c"), ([1, 1], "a.b_c")] {
        let (authority, offers) = rivals(seniority);
        let loser = if winner == "a.b_c" { "a_b.c" } else { "a.b_c" };
        let refused =
            InvalidDynamicOperation::Taken { id: loser.to_owned(), name: "a_b_c".to_owned() };
        for order in [[0, 1], [1, 0]] {
            let live = LiveAuthority::new(authority.clone());
            let mut last = Vec::new();
            // Providers examine themselves again and again.
            for at in [order, order].concat() {
                let (provider, operations) = offers[at].clone();
                last.extend(live.provide(&provider, operations));
            }
            let now = live.now();
            let has = now.tables().lookup("a_b_c").unwrap().operation;
            assert_eq!(now.tables().operations[usize::from(has)].id, winner);
            assert!(now.tables().lookup(loser).is_none());
            assert_eq!(last.last(), Some(&refused), "{seniority:?} {order:?}");
        }
        let live = LiveAuthority::new(authority);
        let all = live.provide_all(offers.to_vec());
        assert_eq!(
            all.into_iter().map(|(_, why)| why).collect::<Vec<_>>(),
            std::slice::from_ref(&refused)
        );
        // The other one joins once the name is free.
        let (senior, _) = winner.split_once('.').unwrap();
        live.provide(senior, Vec::new());
        assert!(live.now().tables().lookup(loser).is_some(), "{seniority:?}");
    }
}

#[test]
fn a_reserved_name_is_nobodys() {
    let (authority, [(a, mut senior), (a_b, junior)]) = rivals([1, 2]);
    senior[0].is_reserved = true;
    let live = LiveAuthority::new(authority);
    assert_eq!(live.provide(&a_b, junior), Vec::new());
    assert!(live.now().tables().lookup("a_b_c").is_some());
    assert_eq!(live.provide(&a, senior), Vec::new());
    for name in ["a_b_c", "a.b_c", "a_b.c"] {
        assert!(live.now().tables().lookup(name).is_none(), "{name}");
    }
}

#[test]
fn tool_names_are_short_and_differ() {
    let live = LiveAuthority::new(authority());
    let long = format!("new.plugins:{}", "x".repeat(100));
    let ids = [
        "new.plugins:a.b",
        "new.plugins:a:b",
        "new.plugins:\u{65e5}",
        "new.plugins:\u{4e2d}",
        &long,
    ];
    let operations = ids.iter().map(|id| dynamic(id, Effect::Read));
    assert_eq!(live.provide("plugins", operations.collect()), Vec::new());
    let now = live.now();
    let joined = now.tables().operations.iter().filter(|operation| operation.is_dynamic);
    let names: BTreeSet<&str> = joined.map(|operation| operation.wire_name.as_str()).collect();
    assert_eq!(names.len(), ids.len());
    assert!(names.contains("new_plugins_a_b"));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    assert!(names.iter().all(|name| name.len() <= 60 && name.chars().all(is_plain)), "{names:?}");
}

/// Returns the same tables with these rows of roles in place of their own.
fn with_roles(roles: &[Role]) -> Authority {
    let cells = roles.iter().map(|role| role.operations.clone()).collect();
    Authority::new(Tables { roles: roles.into(), policy: Arc::new([cells]), ..tables() })
}

fn ids(policy: &Policy) -> Vec<&str> {
    policy.visible().map(|(_, operation)| operation.id.as_str()).collect()
}

#[test]
fn a_policy_whose_role_is_missing_shows_nothing_until_the_role_is_back() {
    let choice = Choice { role: Some("reader".to_owned()), ..Choice::default() };
    let policy = Policy::new(authority(), &choice).unwrap();
    let without = with_roles(&tables().roles[..1]);
    let lost = policy.over(&without);
    assert_eq!((lost.visible().count(), lost.is_operators()), (0, false));
    assert_eq!(lost.over(&without).visible().count(), 0);
    let back = lost.over(&authority());
    assert_eq!((back.role(), ids(&back)), ("reader", vec!["own.first"]));
}

/// Requests may narrow the operator's choice while it is lost.
#[test]
fn what_a_request_chose_of_a_lost_policy_holds_when_the_role_is_back() {
    let choice = Choice { role: Some("owner".to_owned()), ..Choice::default() };
    let reader = tables().roles[1].clone();
    let lost = Policy::new(authority(), &choice).unwrap().over(&with_roles(&[reader]));
    let first = Selector::Operation("own.first".to_owned());
    let narrowed = [
        lost.as_role("reader").unwrap(),
        lost.as_role_within("reader").unwrap(),
        lost.narrowed(None, Some("reader")).unwrap(),
        lost.only(vec![first]),
        lost.without(Selector::Operation("own.second".to_owned())),
    ];
    for policy in narrowed {
        assert_eq!(ids(&policy.over(&authority())), ["own.first"]);
    }
    let reading = lost.reading().over(&authority());
    assert!(!reading.writes());
}

#[test]
fn a_role_that_nobody_named_is_the_first_of_each_authority() {
    let policy = Policy::new(authority(), &Choice::default()).unwrap();
    let [owner, reader] = [0, 1].map(|at| tables().roles[at].clone());
    let editor = Role { name: "editor".to_owned(), ..owner.clone() };
    let renamed = with_roles(&[editor, reader.clone()]);
    let before = with_roles(&[reader, owner]);
    let other = policy.over(&renamed);
    assert_eq!((other.role(), ids(&other)), ("editor", vec!["own.first", "own.second"]));
    let first = other.over(&before);
    assert_eq!((first.role(), ids(&first)), ("reader", vec!["own.first"]));
}

/// An alias keeps its name when its operation gets another.
#[test]
fn flags_mean_what_their_names_mean_in_each_authority() {
    let named = |id: &str| {
        let drop = Operation { name: "drop".to_owned(), ..operation(id, "own_drop") };
        let mut names =
            [name("own_drop", 1), name("dropper", 1), name(id, 1), name("own.first", 0)];
        names.sort_by(|one, other| one.name.cmp(&other.name));
        let declared = tables();
        Authority::new(Tables {
            operations: Arc::new([declared.operations[0].clone(), drop.into()]),
            names: Arc::new(names),
            ..declared.clone()
        })
    };
    let dropper = vec!["dropper".to_owned()];
    let (before, after) = (named("own.drop"), named("own.remove"));
    let excluded = Choice { exclude: dropper.clone(), ..Choice::default() };
    let excluded = Policy::new(before.clone(), &excluded).unwrap();
    assert_eq!(ids(&excluded), ["own.first"]);
    assert_eq!(ids(&excluded.over(&after)), ["own.first"]);
    let only = Choice { only: dropper, ..Choice::default() };
    let only = Policy::new(before, &only).unwrap();
    assert_eq!(ids(&only), ["own.drop"]);
    assert_eq!(ids(&only.over(&after)), ["own.remove"]);
    assert_eq!(ids(&only.over(&authority())), Vec::<&str>::new());
}
