//! Changes of the authority: handles of an earlier authority keep their meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolwrit_core::authority::{
    AddedCategory, Authority, Budget, Category, DeclaredContext, DeclaredProvider,
    DynamicOperation, Effect, FocusMode, InvalidDynamicOperation, Joining, LiveAuthority, Name,
    Operation, OperationHandle, Role, ServerInfo, Tables, contains,
};
use toolwrit_core::policy::{Choice, Policy, Selector};

use toolwrit_requirement::number;

const OPERATIONS: [Operation<'_>; 2] = [
    Operation { id: "own.first", name: "first", wire_name: "own_first", ..Operation::BARE },
    Operation { id: "own.second", name: "second", wire_name: "own_second", ..Operation::BARE },
];

static TABLES: Tables<'_> = Tables {
    server: ServerInfo {
        name: "test",
        title: None,
        version: "1",
        instructions: None,
        prefix: "",
        logging: false,
    },
    budget: Budget { flat: None, dispatch: None, meta: None },
    concurrency: 1,
    timeout: Duration::from_secs(1),
    session_calls: None,
    categories: &[
        Category {
            name: "own",
            title: "Own",
            summary: "",
            keywords: &[],
            wire_name: "own",
            direct: false,
        },
        Category {
            name: "new",
            title: "New",
            summary: "",
            keywords: &[],
            wire_name: "new",
            direct: false,
        },
    ],
    operations: &OPERATIONS,
    merged_tools: &[],
    removed_tools: &[],
    joining: &[Joining { category: 1, provider: 0, most: Effect::Write, whole: false }],
    names: &[
        Name { name: "own.first", operation: 0, alias: None },
        Name { name: "own.second", operation: 1, alias: None },
        Name { name: "own_first", operation: 0, alias: None },
        Name { name: "own_second", operation: 1, alias: None },
    ],
    focus: &[FocusMode { name: "full", summary: None, joining: &[7], added: 7 }],
    roles: &[
        Role {
            name: "owner",
            summary: None,
            persona: None,
            operations: &[0b11],
            joining: &[7],
            added: 7,
        },
        Role {
            name: "reader",
            summary: None,
            persona: None,
            operations: &[0b01],
            joining: &[1],
            added: 1,
        },
    ],
    policy: &[&[&[0b11], &[0b01]]],
    contexts: &[DeclaredContext {
        name: "reading",
        keywords: &[],
        patterns: &[],
        threshold: 0.5,
        operations: &[0b01],
        joining: &[1],
    }],
    providers: &[
        DeclaredProvider { name: "plugins", title: "Plugins", summary: "", binding: None },
        DeclaredProvider { name: "others", title: "Others", summary: "", binding: None },
    ],
    errors: &[],
    resources: &[],
    prompts: &[],
    cookbooks: &[],
    sources: &[],
};

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

/// Returns the same tables with the operations in reverse order, created at run time.
fn reversed_tables() -> Authority {
    Authority::load(|arena| {
        let own = |index: usize| {
            let row = &OPERATIONS[index];
            let id = arena.text(row.id);
            Operation {
                id,
                name: arena.text(row.name),
                wire_name: arena.text(row.wire_name),
                ..*row
            }
        };
        let names = TABLES.names.iter().map(|name| Name { operation: 1 - name.operation, ..*name });
        let reversed = |set: u64| (set & 1) << 1 | set >> 1;
        let roles = TABLES.roles.iter().map(|role| {
            let operations = arena.list([reversed(role.operations[0])]);
            Role { operations, ..*role }
        });
        let contexts = TABLES.contexts.iter().map(|context| {
            let operations = arena.list([reversed(context.operations[0])]);
            DeclaredContext { operations, ..*context }
        });
        let cells = TABLES.policy[0].iter().map(|set| arena.list([reversed(set[0])]));
        let cells = arena.list(cells);
        Tables {
            operations: arena.list([own(1), own(0)]),
            names: arena.list(names),
            roles: arena.list(roles),
            policy: arena.list([cells]),
            contexts: arena.list(contexts),
            ..TABLES
        }
    })
}

/// Checks that names, sets and rows of an authority refer to the same operations.
fn check(authority: &Authority, joined: &BTreeSet<(String, bool)>) {
    let tables = authority.tables();
    let ids: BTreeSet<&str> = tables.operations.iter().map(|own| own.id).collect();
    let expected = joined.iter().map(|(id, _)| id.as_str());
    assert_eq!(ids, expected.chain(["own.first", "own.second"]).collect());
    assert_eq!(ids.len(), tables.operations.len());
    assert!(tables.names.is_sorted_by_key(|name| name.name));
    for (at, operation) in tables.operations.iter().enumerate() {
        for name in [operation.id, operation.wire_name] {
            let found = tables.lookup(name).map(|name| usize::from(name.operation));
            assert_eq!(found, Some(at), "{name}");
        }
        let is_read = joined.contains(&(operation.id.to_owned(), true));
        let reads = is_read || operation.id == "own.first";
        assert!(contains(tables.roles[0].operations, at));
        assert_eq!(contains(tables.roles[1].operations, at), reads, "{}", operation.id);
        assert_eq!(contains(tables.policy[0][1], at), reads, "{}", operation.id);
        assert_eq!(contains(tables.contexts[0].operations, at), reads, "{}", operation.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(number(200, 2000)))]

    #[test]
    fn a_handle_keeps_its_meaning_when_the_authority_changes(steps in prop::collection::vec(step(), 1..30)) {
        let live = LiveAuthority::new(&TABLES);
        let mut policy = Policy::new(&TABLES, &Choice {
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
                        kept.push((now.operation(at), operation.id.to_owned()));
                    }
                }
                Step::Replace => prop_assert_eq!(live.replace(reversed_tables()), Vec::<InvalidDynamicOperation>::new()),
            }
            let now = live.now();
            check(&now, &joined);
            for (handle, id) in &kept {
                prop_assert_eq!(handle.row().id, id);
                let found = handle.authority().tables().lookup(id).unwrap();
                prop_assert_eq!(usize::from(found.operation), handle.index());
            }
            policy = policy.over(&now);
            let visible: BTreeSet<&str> = policy.visible().map(|(_, own)| own.id).collect();
            let reads = joined.iter().filter(|(_, reads)| *reads).map(|(id, _)| id.as_str());
            prop_assert_eq!(visible, reads.collect::<BTreeSet<_>>());
        }
    }
}

#[test]
fn an_invalid_operation_is_refused_and_the_others_join() {
    let live = LiveAuthority::new(&TABLES);
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
    let live = LiveAuthority::new(&TABLES);
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
    let authority = Authority::from(&TABLES).with_categories(&["a", "a_b"].map(category)).unwrap();
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
    let live = LiveAuthority::new(&TABLES);
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
    let joined = now.tables().operations.iter().filter(|own| own.joined.is_some());
    let names: BTreeSet<&str> = joined.map(|own| own.wire_name).collect();
    assert_eq!(names.len(), ids.len());
    assert!(names.contains("new_plugins_a_b"));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    assert!(names.iter().all(|name| name.len() <= 60 && name.chars().all(is_plain)), "{names:?}");
}

/// Returns the same tables with these rows of roles in place of their own.
fn with_roles(roles: &[Role<'static>]) -> Authority {
    Authority::load(|arena| {
        let cells = arena.list(roles.iter().map(|role| role.operations));
        Tables { roles: arena.list(roles.iter().copied()), policy: arena.list([cells]), ..TABLES }
    })
}

fn ids(policy: &Policy) -> Vec<&str> {
    policy.visible().map(|(_, own)| own.id).collect()
}

#[test]
fn a_policy_whose_role_is_missing_shows_nothing_until_the_role_is_back() {
    let choice = Choice { role: Some("reader".to_owned()), ..Choice::default() };
    let policy = Policy::new(&TABLES, &choice).unwrap();
    let without = with_roles(&TABLES.roles[..1]);
    let lost = policy.over(&without);
    assert_eq!((lost.visible().count(), lost.is_operators()), (0, false));
    assert_eq!(lost.over(&without).visible().count(), 0);
    let back = lost.over(&Authority::of(&TABLES));
    assert_eq!((back.role(), ids(&back)), ("reader", vec!["own.first"]));
}

/// Requests may narrow the operator's choice while it is lost.
#[test]
fn what_a_request_chose_of_a_lost_policy_holds_when_the_role_is_back() {
    let choice = Choice { role: Some("owner".to_owned()), ..Choice::default() };
    let reader = TABLES.roles[1];
    let lost = Policy::new(&TABLES, &choice).unwrap().over(&with_roles(&[reader]));
    let first = Selector::Operation("own.first".to_owned());
    let narrowed = [
        lost.as_role("reader").unwrap(),
        lost.as_role_within("reader").unwrap(),
        lost.narrowed(None, Some("reader")).unwrap(),
        lost.only(vec![first]),
        lost.without(Selector::Operation("own.second".to_owned())),
    ];
    for policy in narrowed {
        assert_eq!(ids(&policy.over(&Authority::of(&TABLES))), ["own.first"]);
    }
    let reading = lost.reading().over(&Authority::of(&TABLES));
    assert!(!reading.writes());
}

#[test]
fn a_role_that_nobody_named_is_the_first_of_each_authority() {
    let policy = Policy::new(&TABLES, &Choice::default()).unwrap();
    let [owner, reader] = [TABLES.roles[0], TABLES.roles[1]];
    let renamed = with_roles(&[Role { name: "editor", ..owner }, reader]);
    let before = with_roles(&[reader, owner]);
    let other = policy.over(&renamed);
    assert_eq!((other.role(), ids(&other)), ("editor", vec!["own.first", "own.second"]));
    let first = other.over(&before);
    assert_eq!((first.role(), ids(&first)), ("reader", vec!["own.first"]));
}

/// An alias keeps its name when its operation gets another.
#[test]
fn flags_mean_what_their_names_mean_in_each_authority() {
    let named = |id: &'static str| {
        Authority::load(|arena| {
            let drop = Operation { id, name: "drop", wire_name: "own_drop", ..Operation::BARE };
            let names = [("own_drop", 1), ("dropper", 1), (id, 1), ("own.first", 0)];
            let names = names.map(|(name, operation)| Name { name, operation, alias: None });
            let mut names = names.to_vec();
            names.sort_by_key(|name| name.name);
            Tables {
                operations: arena.list([OPERATIONS[0], drop]),
                names: arena.list(names),
                ..TABLES
            }
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
    assert_eq!(ids(&only.over(&Authority::of(&TABLES))), Vec::<&str>::new());
}
