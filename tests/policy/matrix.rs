//! Every operation on every surface, under every focus mode, role and write switch: it is listed or not,
//! found or not, run or refused, as the manifest says.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;

use crate::policy::manifest::Verdict;
use crate::policy::{Effect, Face, Manifest, Operation, listed, serve, vault};

/// A server under test, with the manifest's expectation for each operation.
struct Cell<'a> {
    name: String,
    face: Face,
    verdicts: Vec<(&'a Operation, Verdict)>,
    client: Client,
}

fn every_cell_of(face: Face) {
    let manifest = Manifest::shipped();
    for focus in manifest.focus_modes() {
        for role in manifest.roles() {
            for writes in [true, false] {
                let mut flags = vec!["--focus", focus, "--role", role];
                flags.extend((!writes).then_some("--read-only"));
                let folder = vault();
                let decide =
                    |operation| (operation, manifest.verdict(focus, role, writes, operation));
                let mut cell = Cell {
                    name: format!("{face:?} {}", flags.join(" ")),
                    face,
                    verdicts: manifest.operations.iter().map(decide).collect(),
                    client: serve(folder.path(), face, &flags),
                };
                cell.check();
            }
        }
    }
}

impl Cell<'_> {
    fn check(&mut self) {
        self.check_tools();
        match self.face {
            Face::Flat => {}
            Face::Dispatch { .. } => self.check_discover(),
            Face::Meta { .. } => {
                self.check_search();
                self.check_describe();
                self.check_introspect();
                self.check_context();
            }
        }
        self.check_calls();
    }

    fn visible(&self) -> impl Iterator<Item = &Operation> {
        let visible = |(_, verdict): &&(_, Verdict)| *verdict == Verdict::Visible;
        self.verdicts.iter().filter(visible).map(|(operation, _)| *operation)
    }

    fn visible_ids(&self) -> BTreeSet<String> {
        self.visible().map(|operation| operation.id.clone()).collect()
    }

    /// `tools/list` has exactly the tools of the visible operations.
    fn check_tools(&mut self) {
        let tools = self.client.tools();
        let own: &[&str] = match self.face {
            Face::Flat => &[],
            Face::Dispatch { .. } => &["discover"],
            Face::Meta { .. } => &["introspect", "search_tools", "describe_tools", "context"],
        };
        let own_tools = self.visible().map(|operation| self.face.tool_for(operation));
        let expected: BTreeSet<String> =
            own_tools.chain(own.iter().map(ToString::to_string)).collect();
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(
            names.iter().copied().collect::<BTreeSet<_>>().iter().eq(&expected),
            "{}",
            self.name
        );
        assert_eq!(names.len(), expected.len(), "{}: a tool twice", self.name);
        for tool in &tools {
            self.check_tool(tool);
        }
    }

    /// A tool's annotations and enum describe its operations.
    fn check_tool(&self, tool: &Value) {
        let name = tool["name"].as_str().unwrap();
        let behind: Vec<&Operation> =
            self.visible().filter(|operation| self.face.tool_for(operation) == name).collect();
        let reads = behind.iter().all(|operation| operation.effect == Effect::Read);
        assert_eq!(tool["annotations"]["readOnlyHint"], reads, "{} {name}", self.name);
        if behind.iter().any(|operation| operation.effect == Effect::Destroy) {
            assert_eq!(tool["annotations"]["destructiveHint"], true, "{} {name}", self.name);
        }
        let has_enum = behind.first().is_some_and(|operation| !operation.is_direct);
        if let (Face::Dispatch { .. }, true) = (self.face, has_enum) {
            let names: Vec<&str> = behind.iter().map(|operation| operation.name.as_str()).collect();
            let listed = &tool["inputSchema"]["properties"]["operation"]["enum"];
            assert_eq!(*listed, json!(names), "{} {name}", self.name);
        }
    }

    fn check_discover(&mut self) {
        let detail = |cell: &mut Self, detail: &str| {
            cell.client.call("discover", &json!({ "detail": detail })).ok()
        };
        let names = detail(self, "names");
        let found = names.as_object().unwrap().iter().flat_map(|(category, names)| {
            names.as_array().unwrap().iter().map(move |name| full_id(category, name))
        });
        assert_eq!(found.collect::<BTreeSet<_>>(), self.visible_ids(), "{}", self.name);
        let signatures = detail(self, "signatures");
        let lines = signatures.as_object().unwrap().values();
        let lines = lines.flat_map(|lines| lines.as_array().unwrap());
        assert_eq!(lines.map(id_of).collect::<BTreeSet<_>>(), self.visible_ids(), "{}", self.name);
        let schemas = detail(self, "schemas");
        let cards = schemas.as_object().unwrap().values();
        let ids = cards.flat_map(|cards| cards.as_array().unwrap()).map(|card| text(&card["id"]));
        assert_eq!(ids.collect::<BTreeSet<_>>(), self.visible_ids(), "{}", self.name);
    }

    /// Without a query, a search returns all operations, a line for each category. With an id it returns
    /// that operation if it is visible, and with a short name one of the operations with that name.
    fn check_search(&mut self) {
        let all = self.client.call("search_tools", &json!({})).ok();
        let mut listed = BTreeSet::new();
        for line in all["results"].as_array().unwrap() {
            let (category, rest) = line.as_str().unwrap().split_once(": ").unwrap();
            let names = rest.split("  #").next().unwrap().split(", ");
            listed.extend(names.map(|name| full_id(category, &name.into())));
        }
        assert_eq!(listed, self.visible_ids(), "{}", self.name);
        let visible = self.visible_ids();
        for index in 0..self.verdicts.len() {
            let (operation, verdict) = self.verdicts[index];
            for query in [&operation.id, &operation.name] {
                let found = self.client.call("search_tools", &json!({ "query": query })).ok();
                let found: Vec<String> =
                    found["results"].as_array().unwrap().iter().map(id_of).collect();
                let (name, id) = (&self.name, &operation.id);
                assert!(
                    found.iter().all(|id| visible.contains(id)),
                    "{name}: {query} shows {found:?}"
                );
                if verdict == Verdict::Visible {
                    let first = found.first().filter(|first| first.ends_with(query));
                    assert!(
                        first.is_some() && found.contains(id),
                        "{name}: {query} finds {found:?}"
                    );
                }
            }
        }
    }

    /// An operation hidden by the role is unknown; one that is only withheld is described as such.
    fn check_describe(&mut self) {
        let ids: Vec<&str> =
            self.verdicts.iter().map(|(operation, _)| operation.id.as_str()).collect();
        let described = self.client.call("describe_tools", &json!({ "tools": ids })).ok();
        let cards = described["tools"].as_array().unwrap();
        for (operation, verdict) in &self.verdicts {
            let card = cards.iter().find(|card| card["id"] == operation.id.as_str());
            let at = format!("{}: {}", self.name, operation.id);
            assert_eq!(card.is_none(), *verdict == Verdict::Hidden, "{at}");
            let withheld = card.is_some_and(|card| card.get("unavailable").is_some());
            assert_eq!(withheld, card.is_some() && *verdict != Verdict::Visible, "{at}");
        }
        let hidden = ids.len() - cards.len();
        let errors = described["errors"].as_array().map_or(0, Vec::len);
        assert_eq!(errors, hidden, "{}", self.name);
        for error in described["errors"].as_array().into_iter().flatten() {
            assert_eq!(error["code"], "TOOL_NOT_FOUND", "{}", self.name);
            let visible = self.visible_ids();
            let suggested = error["did_you_mean"].as_array().into_iter().flatten().map(text);
            assert!(
                suggested.into_iter().all(|id| visible.contains(&id)),
                "{}: {error}",
                self.name
            );
        }
    }

    fn check_introspect(&mut self) {
        let answer = self.client.call("introspect", &json!({})).ok();
        for effect in Effect::ALL {
            let count = self.visible().filter(|operation| operation.effect == effect).count();
            assert_eq!(answer["operations"][effect.name()], count, "{}", self.name);
        }
    }

    fn check_context(&mut self) {
        let message = "Read today's notes, write and append an update, then delete and tidy drafts";
        let answer = self.client.call("context", &json!({ "message": message })).ok();
        let visible = self.visible_ids();
        let tools = answer["tools"].as_array().unwrap();
        assert!(tools.iter().map(id_of).all(|id| visible.contains(&id)), "{}: {answer}", self.name);
        assert_eq!(answer["originalCount"], visible.len(), "{}", self.name);
        assert_eq!(answer["returnedCount"], tools.len(), "{}", self.name);
        assert_eq!(tools.is_empty(), visible.is_empty(), "{}: {answer}", self.name);
    }

    /// Calls each operation through its own tool under its id, short name, tool name and aliases, and each
    /// alias as a tool.
    fn check_calls(&mut self) {
        for index in 0..self.verdicts.len() {
            let (operation, verdict) = self.verdicts[index];
            let tool = self.face.tool_for(operation);
            let mut names = vec![operation.id.as_str(), &operation.wire_name];
            names.extend(operation.aliases.iter().map(String::as_str));
            if let Face::Dispatch { .. } = self.face {
                names.push(&operation.name);
            }
            let mut calls: Vec<(&str, Value)> = names
                .into_iter()
                .map(|name| (tool.as_str(), self.face.envelope(operation, name)))
                .collect();
            let older = operation.aliases.iter();
            let older = older.map(|older| (older.as_str(), operation.arguments(older).clone()));
            calls.extend(older);
            for (tool, arguments) in calls {
                let code = self.client.call(tool, &arguments).code();
                let at = format!("{}: {tool} {arguments}", self.name);
                // The value that names a hidden operation of a merged tool does not exist for the caller.
                let merged = operation.merged.as_ref().is_some_and(|merged| merged.tool == tool);
                let is_no_value =
                    merged && verdict == Verdict::Hidden && code == "VALIDATION_ERROR";
                let agrees = is_no_value || verdict.agrees_with(&code);
                assert!(agrees, "{at} is {code}, not {verdict:?}");
            }
        }
    }
}

fn full_id(category: &str, name: &Value) -> String {
    format!("{category}.{}", name.as_str().unwrap())
}

/// The operation of a signature: `vault.read(path: ..) -> ..`.
fn id_of(line: &Value) -> String {
    line.as_str().unwrap().split('(').next().unwrap().to_owned()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn flat() {
    every_cell_of(Face::Flat);
}

#[test]
fn dispatch_split_by_effect() {
    every_cell_of(Face::Dispatch { split: true });
}

#[test]
fn dispatch_in_one() {
    every_cell_of(Face::Dispatch { split: false });
}

#[test]
fn meta_split_by_effect() {
    every_cell_of(Face::Meta { split: true });
}

#[test]
fn meta_in_one() {
    every_cell_of(Face::Meta { split: false });
}

#[test]
fn lists_are_deterministic() {
    for face in Face::ALL {
        let folder = vault();
        let mut once = serve(folder.path(), face, &[]);
        let mut again = serve(folder.path(), face, &[]);
        assert_eq!(once.tools(), again.tools());
        assert!(!listed(&mut once).is_empty());
    }
}
