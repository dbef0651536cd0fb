//! Changes of the authority: handles of an earlier authority keep their meaning, and its memory is freed with
//! the last of them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Map, Value};
use toolwrit_core::authority::{
    Authority, Budget, Category, DynamicOperation, Effect, FocusMode, InvalidDynamicOperation,
    LiveAuthority, Name, Operation, OperationHandle, Role, ServerInfo, Tables, contains,
};
use toolwrit_core::policy::{Choice, Policy};

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
    names: &[
        Name { name: "own.first", operation: 0, alias: None },
        Name { name: "own.second", operation: 1, alias: None },
        Name { name: "own_first", operation: 0, alias: None },
        Name { name: "own_second", operation: 1, alias: None },
    ],
    focus: &[FocusMode { name: "full", summary: None, joining: &[7, 7] }],
    roles: &[
        Role { name: "owner", summary: None, persona: None, operations: &[0b11], joining: &[7, 7] },
        Role {
            name: "reader",
            summary: None,
            persona: None,
            operations: &[0b01],
            joining: &[0, 1],
        },
    ],
    policy: &[&[&[0b11], &[0b01]]],
    contexts: &[],
    providers: &[],
    errors: &[],
    resources: &[],
    prompts: &[],
    sources: &[],
};

/// A value that an operation holds, so that a test sees when the operation is freed.
type Witness = Arc<()>;

fn dynamic(id: &str, effect: Effect, witness: &Witness) -> DynamicOperation {
    let schema = Map::from_iter([("type".to_owned(), Value::from("object"))]);
    let kept = witness.clone();
    let validate = move |_: &Map<String, Value>| {
        let _ = &kept;
        Ok(())
    };
    let operation = DynamicOperation::new(id, "A dynamic operation.", schema, Arc::new(validate));
    DynamicOperation { effect: Some(effect), ..operation }
}

fn id(name: u8) -> String {
    format!("new.op{name}")
}

#[derive(Debug, Clone)]
enum Step {
    Join(Vec<(u8, bool)>),
    Leave(Vec<u8>),
    /// Keeps the operation at this position, if there is one.
    Keep(usize),
    /// Replaces the authority below the dynamic operations by other tables with the same names.
    Replace,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => prop::collection::vec((0..80u8, any::<bool>()), 1..40).prop_map(Step::Join),
        2 => prop::collection::vec(0..80u8, 1..40).prop_map(Step::Leave),
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
        let cells = TABLES.policy[0].iter().map(|set| arena.list([reversed(set[0])]));
        let cells = arena.list(cells);
        Tables {
            operations: arena.list([own(1), own(0)]),
            names: arena.list(names),
            roles: arena.list(roles),
            policy: arena.list([cells]),
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
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_handle_keeps_its_meaning_when_the_authority_changes(steps in prop::collection::vec(step(), 1..30)) {
        let witness = Witness::default();
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
                Step::Join(names) => {
                    let mut new: Vec<(String, bool)> = Vec::new();
                    for (name, reads) in names {
                        new.retain(|(known, _)| *known != id(name));
                        new.push((id(name), reads));
                    }
                    joined.retain(|(known, _)| new.iter().all(|(id, _)| id != known));
                    joined.extend(new.iter().cloned());
                    let effect = |reads| if reads { Effect::Read } else { Effect::Write };
                    live.join(new.iter().map(|(id, reads)| dynamic(id, effect(*reads), &witness)))
                        .unwrap();
                }
                Step::Leave(names) => {
                    joined.retain(|(known, _)| names.iter().all(|name| id(*name) != *known));
                    live.leave(names.into_iter().map(id));
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
        drop((kept, policy, live));
        prop_assert_eq!(Arc::strong_count(&witness), 1, "everything is freed");
    }
}

#[test]
fn a_removed_operation_lives_as_long_as_its_last_call() {
    let witness = Witness::default();
    let live = LiveAuthority::new(&TABLES);
    live.join([dynamic("new.op", Effect::Read, &witness)]).unwrap();
    let now = live.now();
    let call = now.operation(usize::from(now.tables().lookup("new.op").unwrap().operation));
    drop(now);
    assert_eq!(live.leave(["new.op"]), 1);
    assert!(live.now().tables().lookup("new.op").is_none());
    assert_eq!((call.row().id, Arc::strong_count(&witness)), ("new.op", 2));
    drop(call);
    assert_eq!(Arc::strong_count(&witness), 1);
}

#[test]
fn an_invalid_operation_is_refused_and_changes_nothing() {
    let witness = Witness::default();
    let live = LiveAuthority::new(&TABLES);
    let before = live.now().version();
    let join = |id: &str| live.join([dynamic(id, Effect::Read, &witness)]).unwrap_err();
    assert_eq!(join("other.op"), InvalidDynamicOperation::Category("other.op".to_owned()));
    assert_eq!(join("new."), InvalidDynamicOperation::Category("new.".to_owned()));
    assert_eq!(join("own.first"), InvalidDynamicOperation::Taken("own.first".to_owned()));
    let long = format!("new.{}", "x".repeat(64));
    assert_eq!(join(&long), InvalidDynamicOperation::TooLong(long.clone()));
    let no_object =
        DynamicOperation { input_schema: Map::new(), ..dynamic("new.op", Effect::Read, &witness) };
    assert_eq!(live.join([no_object]), Err(InvalidDynamicOperation::Schema("new.op".to_owned())));
    assert_eq!(live.now().version(), before);
}

#[test]
fn a_policy_whose_role_is_missing_shows_nothing_until_the_role_is_back() {
    let choice = Choice { role: Some("reader".to_owned()), ..Choice::default() };
    let policy = Policy::new(&TABLES, &choice).unwrap();
    let without = Authority::load(|arena| Tables {
        roles: arena.list(TABLES.roles.iter().take(1).copied()),
        policy: arena.list([arena.list([TABLES.policy[0][0]])]),
        ..TABLES
    });
    let lost = policy.over(&without);
    assert_eq!(lost.visible().count(), 0);
    assert_eq!(lost.over(&without).visible().count(), 0);
    let back = lost.over(&Authority::of(&TABLES));
    assert_eq!((back.role(), back.visible().count()), ("reader", 1));
}
