//! Random operations, compared with a simple model in memory.

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};
use toolwrit_project::{
    Archived, BatchAction, BatchOperation, EntityId, EntityKind, Filters, Scope, Selection,
};

use crate::batches::{ATOMIC, EACH};
use crate::{Sandbox, never};
use toolwrit_requirement::number;

/// An entity of the model.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    title: String,
    status: &'static str,
    parent: Option<EntityId>,
    depends_on: Vec<EntityId>,
    archived: bool,
}

type Model = BTreeMap<EntityId, Known>;

#[derive(Debug, Clone)]
enum Step {
    Single(Operation),
    Batch(Vec<Operation>, bool),
    /// A person changes the title in the note.
    Edit(Index, String),
    /// A person removes a note that nothing refers to.
    Remove(Index),
    /// Another process opens the vault.
    Restart,
}

#[derive(Debug, Clone)]
enum Operation {
    Create {
        kind: EntityKind,
        title: String,
        parent: Option<Index>,
        depends_on: Vec<Index>,
    },
    Title(Index, String),
    Status(Index, &'static str),
    Parent(Index, Option<Index>),
    DependsOn(Index, Vec<Index>),
    Restore(Index),
    Archive(Index, bool),
    /// An entity that does not exist.
    Missing,
}

fn operation() -> impl Strategy<Value = Operation> {
    let index = any::<Index>;
    let title = || "[a-z]{1,6}( [a-z:#'\"-]{1,6})?".prop_map(|title| title.trim().to_owned());
    let kind = select(EntityKind::ALL.to_vec());
    let indexes = || prop::collection::vec(index(), 0..3);
    prop_oneof![
        6 => (kind, title(), prop::option::of(index()), indexes()).prop_map(
            |(kind, title, parent, depends_on)| Operation::Create { kind, title, parent, depends_on }
        ),
        2 => (index(), title()).prop_map(|(of, title)| Operation::Title(of, title)),
        2 => (index(), select(vec!["todo", "completed", "decided", "draft"]))
            .prop_map(|(of, status)| Operation::Status(of, status)),
        3 => (index(), prop::option::of(index())).prop_map(|(of, to)| Operation::Parent(of, to)),
        4 => (index(), indexes()).prop_map(|(of, to)| Operation::DependsOn(of, to)),
        1 => index().prop_map(Operation::Restore),
        2 => (index(), any::<bool>()).prop_map(|(of, cascade)| Operation::Archive(of, cascade)),
        1 => Just(Operation::Missing),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => operation().prop_map(Step::Single),
        3 => (prop::collection::vec(operation(), 1..6), any::<bool>())
            .prop_map(|(operations, atomic)| Step::Batch(operations, atomic)),
        1 => (any::<Index>(), "[a-z]{1,8}").prop_map(|(of, title)| Step::Edit(of, title)),
        1 => any::<Index>().prop_map(Step::Remove),
        1 => Just(Step::Restart),
    ]
}

/// The id at an index of the model before the step; an id that does not exist if the model is empty.
fn pick_id(ids: &[EntityId], index: Index) -> EntityId {
    if ids.is_empty() { "T-900".parse().unwrap() } else { *index.get(ids) }
}

/// Whether one entity leads to another in the model.
fn leads(from: EntityId, to: EntityId, next: &dyn Fn(EntityId) -> Vec<EntityId>) -> bool {
    let mut seen = vec![from];
    let mut at = 0;
    while let Some(&id) = seen.get(at) {
        for other in next(id) {
            if !seen.contains(&other) {
                seen.push(other);
            }
        }
        at += 1;
    }
    seen.contains(&to)
}

/// Whether the references of an entity are as they must be.
fn is_valid(model: &Model, id: EntityId) -> bool {
    let known = &model[&id];
    let parent = |id: EntityId| model[&id].parent.into_iter().collect::<Vec<_>>();
    let before = |id: EntityId| model[&id].depends_on.clone();
    let exist = known.parent.iter().chain(&known.depends_on).all(|other| model.contains_key(other));
    exist
        && known.parent.is_none_or(|parent_id| id.kind().parents().contains(&parent_id.kind()))
        && !known.parent.is_some_and(|parent_id| leads(parent_id, id, &parent))
        && !known.depends_on.iter().any(|before_id| leads(*before_id, id, &before))
}

/// The action of an operation, and what the model becomes; `None` if it must be refused.
fn apply(model: &Model, ids: &[EntityId], operation: &Operation) -> (BatchAction, Option<Model>) {
    let mut after = model.clone();
    let mut change = |index: Index, data: Value, change: &dyn Fn(&mut Known)| {
        let id = pick_id(ids, index);
        let is_known = after.get_mut(&id).map(change).is_some();
        let after = (is_known && is_valid(&after, id)).then(|| after.clone());
        (update(id, data), after)
    };
    let all = |indexes: &[Index]| {
        let mut all = Vec::new();
        for id in indexes.iter().map(|index| pick_id(ids, *index)) {
            if !all.contains(&id) {
                all.push(id);
            }
        }
        all
    };
    match operation {
        Operation::Title(of, title) => {
            change(*of, json!({ "title": title }), &|entity| entity.title.clone_from(title))
        }
        Operation::Status(of, status) => {
            let (action, after) =
                change(*of, json!({ "status": status }), &|entity| entity.status = status);
            let allowed =
                pick_id(ids, *of).kind().statuses().iter().any(|allowed| allowed.name() == *status);
            (action, after.filter(|_| allowed))
        }
        Operation::Parent(of, to) => {
            let to = to.map(|to| pick_id(ids, to));
            change(*of, json!({ "parent": to.map(|id| id.to_string()) }), &|entity| {
                entity.parent = to;
            })
        }
        Operation::DependsOn(of, to) => {
            let to = all(to);
            let given: Vec<_> = to.iter().map(ToString::to_string).collect();
            change(*of, json!({ "depends_on": given }), &|entity| entity.depends_on.clone_from(&to))
        }
        Operation::Restore(of) => {
            change(*of, json!({ "archived": false }), &|entity| entity.archived = false)
        }
        Operation::Missing => (update("T-901".parse().unwrap(), json!({ "title": "x" })), None),
        Operation::Archive(of, cascade) => {
            let id = pick_id(ids, *of);
            let above = |id: EntityId| model[&id].parent.into_iter().collect::<Vec<_>>();
            for (other, known) in &mut after {
                if *other == id || *cascade && model.contains_key(&id) && leads(*other, id, &above)
                {
                    known.archived = true;
                }
            }
            let action = BatchAction::Archive { id: id.to_string(), cascade: *cascade };
            (action, model.contains_key(&id).then_some(after))
        }
        Operation::Create { kind, title, parent, depends_on } => {
            let parent = parent.map(|parent| pick_id(ids, parent));
            let depends_on = all(depends_on);
            let numbers = model.keys().filter(|id| id.kind() == *kind).map(|id| id.number());
            let number = numbers.max().unwrap_or(0) + 1;
            let id: EntityId = format!("{}-{number}", kind.prefix()).parse().unwrap();
            let mut data = Map::new();
            data.insert("title".to_owned(), title.as_str().into());
            data.insert("parent".to_owned(), parent.map(|id| id.to_string()).into());
            let given: Vec<_> = depends_on.iter().map(ToString::to_string).collect();
            data.insert("depends_on".to_owned(), given.into());
            let status = kind.statuses()[0].name();
            let known = Known { title: title.clone(), status, parent, depends_on, archived: false };
            after.insert(id, known);
            let action = BatchAction::Create { kind: *kind, data, body: String::new() };
            (action, is_valid(&after, id).then_some(after))
        }
    }
}

fn update(id: EntityId, data: Value) -> BatchAction {
    BatchAction::Update { id: id.to_string(), data: crate::map(data) }
}

/// The entities in the same form as the model.
fn read_model(sandbox: &Sandbox) -> Model {
    let workspace = sandbox.workspace();
    let filters = Filters { archived: Archived::Include, ..Filters::default() };
    let ids = workspace.search(&Scope::All, &filters, None, &never).unwrap().ids;
    let fields = ["title", "status", "parent", "depends_on", "archived"];
    let all = workspace.select(&ids, &Selection::from_names(&fields), &never).unwrap();
    let reference = |value: &Value| value.as_str().map(|text| text.parse::<EntityId>().unwrap());
    let known = |(id, fields): (&EntityId, Map<String, Value>)| {
        let status = id.kind().statuses().iter().find(|status| fields["status"] == status.name());
        let known = Known {
            title: fields["title"].as_str().unwrap().to_owned(),
            status: status.unwrap().name(),
            parent: reference(&fields["parent"]),
            depends_on: fields["depends_on"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(reference)
                .collect(),
            archived: fields["archived"] == true,
        };
        (*id, known)
    };
    ids.iter().zip(all).map(known).collect()
}

/// Carries a step out, and returns what the model becomes.
fn run(sandbox: &mut Sandbox, model: &Model, number: usize, step: &Step) -> Model {
    let ids: Vec<EntityId> = model.keys().copied().collect();
    match step {
        Step::Single(operation) => {
            let (action, after) = apply(model, &ids, operation);
            let workspace = sandbox.workspace();
            let made = match action {
                BatchAction::Invalid { field, reason } => panic!("{field}: {reason}"),
                BatchAction::Create { kind, data, body } => workspace
                    .create(kind, &data, &body, &crate::NO_CANVAS, sandbox.now, &never)
                    .map(drop),
                BatchAction::Update { id, data } => workspace
                    .update(
                        id.parse().unwrap(),
                        &data,
                        None,
                        &crate::NO_CANVAS,
                        sandbox.now,
                        &never,
                    )
                    .map(drop),
                BatchAction::Archive { id, cascade } => workspace
                    .archive(id.parse().unwrap(), cascade, None, sandbox.now, &never)
                    .map(drop),
            };
            assert_eq!(made.is_ok(), after.is_some(), "{operation:?}: {made:?}");
            after.unwrap_or_else(|| model.clone())
        }
        Step::Batch(operations, atomic) => {
            let mut after = model.clone();
            let (mut given, mut expected) = (Vec::new(), Vec::new());
            for (index, operation) in operations.iter().enumerate() {
                let (action, next) = apply(&after, &ids, operation);
                let client_id = format!("{number}-{index}");
                given.push(BatchOperation { client_id, action });
                expected.push(next.is_some());
                after = next.unwrap_or(after);
            }
            let options = if *atomic { ATOMIC } else { EACH };
            let made = sandbox.workspace().batch(&given, &options, sandbox.now, &never).unwrap();
            let all = expected.iter().all(|made| *made);
            let expected = expected.into_iter().map(|made| made && (all || !atomic));
            let got: Vec<bool> = made.results.iter().map(|(_, result)| result.is_ok()).collect();
            assert_eq!(got, expected.collect::<Vec<_>>(), "{made:#?}");
            if *atomic && !all { model.clone() } else { after }
        }
        Step::Edit(of, title) if !ids.is_empty() => {
            let id = pick_id(&ids, *of);
            let text = sandbox.text(&id.to_string());
            let old = text.lines().find(|line| line.starts_with("title: ")).unwrap();
            sandbox.put(&id.to_string(), &text.replacen(old, &format!("title: \"{title}\""), 1));
            let mut after = model.clone();
            after.get_mut(&id).unwrap().title.clone_from(title);
            after
        }
        Step::Remove(of) if !ids.is_empty() => {
            let id = pick_id(&ids, *of);
            let refers = |known: &Known| known.parent == Some(id) || known.depends_on.contains(&id);
            let mut after = model.clone();
            if !model.values().any(refers) {
                fs::remove_file(sandbox.file(&format!("Projects/{id}.md"))).unwrap();
                sandbox.workspace().wait_for_index(&never).unwrap();
                after.remove(&id);
            }
            after
        }
        Step::Restart => {
            sandbox.workspaces = crate::open(&sandbox.file(""));
            model.clone()
        }
        Step::Edit(..) | Step::Remove(_) => model.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(number(24, 240)))]

    #[test]
    fn random_operations_do_what_the_model_does(steps in prop::collection::vec(step(), 1..25)) {
        let mut sandbox = Sandbox::new();
        let mut model = Model::new();
        for (number, step) in steps.iter().enumerate() {
            model = run(&mut sandbox, &model, number, step);
            prop_assert_eq!(&read_model(&sandbox), &model, "after {:?}", step);
            prop_assert_eq!(sandbox.problems(), Vec::<String>::new());
        }
    }
}
