//! Canvases that show entities: JSON Canvas 1.0.
//!
//! Nodes are added where nothing is, with edges that say the same as the notes. What is on a canvas already
//! keeps its bytes, and nothing is read from it but the places of its nodes.

use std::collections::{BTreeSet, HashMap, HashSet};

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};
use toolwrit_vault::VaultPath;

use crate::error::{ProjectError, Result};
use crate::model::{Entity, EntityId};

/// The size of a new node.
const SIZE: (i64, i64) = (400, 200);
/// The space around a new node.
const GAP: i64 = 60;
/// How many new nodes are beside each other.
const COLUMNS: i64 = 4;
/// The farthest place of a node, far beyond what people can find.
const FARTHEST: f64 = 1e9;

/// What a change does with a canvas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CanvasPlan {
    /// The canvas.
    pub path: Option<VaultPath>,
    /// Whether the entities that are created or changed are placed on it.
    pub add: bool,
    /// Whether the entities that are archived are taken off it.
    pub remove: bool,
}

impl CanvasPlan {
    /// Places what is created or changed on a canvas.
    pub fn add_to(path: VaultPath) -> Self {
        Self { path: Some(path), add: true, remove: false }
    }
}

/// A canvas. What is not changed is kept as it is written.
pub(crate) struct Canvas {
    path: VaultPath,
    /// Everything but the nodes and the edges.
    others: IndexMap<String, Box<RawValue>>,
    nodes: Vec<String>,
    edges: Vec<String>,
}

/// What is used of a node.
#[derive(Deserialize)]
struct Node {
    id: String,
    #[serde(default)]
    file: Option<String>,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// What is used of an edge.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Edge {
    id: String,
    from_node: String,
    to_node: String,
}

impl Canvas {
    /// Parses a canvas; an empty one if there is no file yet.
    ///
    /// # Errors
    /// `InvalidCanvas`
    pub(crate) fn parse(path: &VaultPath, text: Option<&str>) -> Result<Self> {
        let invalid = |reason: String| ProjectError::InvalidCanvas { path: path.clone(), reason };
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("canvas")) {
            return Err(invalid("expected a file that ends with .canvas".to_owned()));
        }
        // Obsidian creates canvases as empty files.
        let text = text.filter(|text| !text.trim().is_empty()).unwrap_or("{}");
        let mut others: IndexMap<String, Box<RawValue>> =
            serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        let mut list = |name: &str| match others.shift_remove(name) {
            Some(list) => match serde_json::from_str::<Vec<Box<RawValue>>>(list.get()) {
                Ok(items) => Ok(items.iter().map(|item| item.get().to_owned()).collect()),
                Err(error) => Err(invalid(format!("`{name}`: {error}"))),
            },
            None => Ok(Vec::new()),
        };
        let (nodes, edges) = (list("nodes")?, list("edges")?);
        Ok(Self { path: path.clone(), others, nodes, edges })
    }

    /// Adds the notes of entities that it does not show below everything else, and edges from what must be done
    /// before. `entities` are all entities by their notes. Returns whether it has changed.
    ///
    /// # Errors
    /// `InvalidCanvas`
    pub(crate) fn add_notes(
        &mut self,
        new: &[&Entity],
        entities: &HashMap<&str, EntityId>,
        prerequisites: impl Fn(EntityId) -> Vec<EntityId>,
    ) -> Result<bool> {
        let nodes = self.read_nodes()?;
        let mut ids: HashSet<String> = nodes.iter().map(|node| node.id.clone()).collect();
        let mut shown = find_shown(&nodes, entities);
        let missing = new.iter().filter(|entity| !shown.contains_key(&entity.id));
        let missing: Vec<&Entity> = missing.copied().collect();
        if missing.is_empty() {
            return Ok(false);
        }
        let (left, top) = self.find_free_position(&nodes)?;
        for (number, entity) in (0..).zip(&missing) {
            let node = find_free_id(&entity.id.to_string(), &mut ids);
            let (column, row): (i64, i64) = (number % COLUMNS, number / COLUMNS);
            let (x, y) = (left + column * (SIZE.0 + GAP), top + row * (SIZE.1 + GAP));
            self.nodes.push(file_node(&node, entity.path.as_str(), (x, y)).to_string());
            shown.insert(entity.id, node);
        }
        let added: BTreeSet<EntityId> = missing.iter().map(|entity| entity.id).collect();
        self.add_edges(
            &shown,
            |first, then| added.contains(&first) || added.contains(&then),
            prerequisites,
        );
        Ok(true)
    }

    /// Draws the edges to some entities as their notes say. Those that people drew stay. Returns whether it has changed.
    ///
    /// # Errors
    /// `InvalidCanvas`
    pub(crate) fn update_edges(
        &mut self,
        entities: &HashMap<&str, EntityId>,
        related: &BTreeSet<EntityId>,
        prerequisites: impl Fn(EntityId) -> Vec<EntityId>,
    ) -> Result<bool> {
        let shown = find_shown(&self.read_nodes()?, entities);
        let by_node: HashMap<&str, EntityId> =
            shown.iter().map(|(id, node)| (node.as_str(), *id)).collect();
        let is_outdated = |edge: &str| {
            let Ok(edge) = serde_json::from_str::<Edge>(edge) else { return false };
            let first = by_node.get(edge.from_node.as_str());
            let then = by_node.get(edge.to_node.as_str()).filter(|then| related.contains(*then));
            first.zip(then).is_some_and(|(first, then)| {
                // An edge is drawn by this engine if it is named after the entities at its ends.
                let is_own = edge.id.starts_with(&format!("{first}-{then}"));
                is_own && !prerequisites(*then).contains(first)
            })
        };
        let before = self.edges.len();
        self.edges.retain(|edge| !is_outdated(edge));
        let has_removed = self.edges.len() != before;
        let before = self.edges.len();
        self.add_edges(&shown, |_, then| related.contains(&then), &prerequisites);
        Ok(has_removed || self.edges.len() != before)
    }

    /// The notes that it shows.
    ///
    /// # Errors
    /// `InvalidCanvas`
    pub(crate) fn notes(&self) -> Result<HashSet<String>> {
        Ok(self.read_nodes()?.into_iter().filter_map(|node| node.file).collect())
    }

    /// Removes the nodes of notes, and their edges. Returns whether it has changed.
    pub(crate) fn remove_notes(&mut self, notes: &BTreeSet<&str>) -> bool {
        let mut gone: HashSet<String> = HashSet::new();
        self.nodes.retain(|node| {
            let Ok(node) = serde_json::from_str::<Node>(node) else { return true };
            let is_gone = node.file.as_deref().is_some_and(|file| notes.contains(file));
            !is_gone || !gone.insert(node.id)
        });
        self.edges.retain(|edge| {
            let edge = serde_json::from_str::<Edge>(edge);
            edge.map_or(true, |edge| {
                !gone.contains(&edge.from_node) && !gone.contains(&edge.to_node)
            })
        });
        !gone.is_empty()
    }

    /// Adds the wanted edges that are missing.
    fn add_edges(
        &mut self,
        shown: &HashMap<EntityId, String>,
        is_wanted: impl Fn(EntityId, EntityId) -> bool,
        prerequisites: impl Fn(EntityId) -> Vec<EntityId>,
    ) {
        // Edges that cannot be read are other programs'.
        let known = self.edges.iter().filter_map(|edge| serde_json::from_str(edge).ok());
        let known: Vec<Edge> = known.collect();
        let mut ids: HashSet<String> = known.iter().map(|edge| edge.id.clone()).collect();
        let mut drawn: HashSet<(&str, &str)> =
            known.iter().map(|edge| (edge.from_node.as_str(), edge.to_node.as_str())).collect();
        let mut entities: Vec<&EntityId> = shown.keys().collect();
        entities.sort_unstable();
        for then in entities {
            for first in prerequisites(*then) {
                let Some(from) = shown.get(&first) else { continue };
                let to = &shown[then];
                if is_wanted(first, *then) && drawn.insert((from, to)) {
                    let id = find_free_id(&format!("{first}-{then}"), &mut ids);
                    let added = json!({
                        "id": id, "fromNode": from, "fromSide": "right", "toNode": to, "toSide": "left",
                    });
                    self.edges.push(added.to_string());
                }
            }
        }
    }

    fn read_nodes(&self) -> Result<Vec<Node>> {
        let read = |(number, node): (usize, &String)| {
            serde_json::from_str(node)
                .map_err(|error| self.canvas_error(format!("node {}: {error}", number + 1)))
        };
        self.nodes.iter().enumerate().map(read).collect()
    }

    /// The left and the top of the place below all nodes.
    fn find_free_position(&self, nodes: &[Node]) -> Result<(i64, i64)> {
        if nodes.is_empty() {
            return Ok((0, 0));
        }
        let left =
            nodes.iter().map(|node| node.x.min(node.x + node.width)).fold(f64::MAX, f64::min);
        let bottom =
            nodes.iter().map(|node| node.y.max(node.y + node.height)).fold(f64::MIN, f64::max);
        let is_near = |coordinate: f64| coordinate.abs() <= FARTHEST;
        if !is_near(left) || !is_near(bottom) {
            return Err(self.canvas_error("a node is too far away".to_owned()));
        }
        #[expect(clippy::cast_possible_truncation, reason = "both are near")]
        Ok((left.floor() as i64, bottom.ceil() as i64 + GAP))
    }

    /// The canvas as text, a node or edge per line, as Obsidian writes it.
    pub(crate) fn to_text(&self) -> String {
        let list = |items: &[String]| {
            let lines: Vec<_> = items.iter().map(|item| format!("\n\t\t{item}")).collect();
            let end = if lines.is_empty() { "" } else { "\n\t" };
            format!("[{}{end}]", lines.join(","))
        };
        let mut entries = vec![
            format!("\t\"nodes\":{}", list(&self.nodes)),
            format!("\t\"edges\":{}", list(&self.edges)),
        ];
        let others = self.others.iter();
        entries.extend(
            others.map(|(key, value)| format!("\t{}:{}", Json::from(key.as_str()), value.get())),
        );
        format!("{{\n{}\n}}\n", entries.join(",\n"))
    }

    fn canvas_error(&self, reason: String) -> ProjectError {
        ProjectError::InvalidCanvas { path: self.path.clone(), reason }
    }
}

/// The nodes of entities.
fn find_shown(nodes: &[Node], entities: &HashMap<&str, EntityId>) -> HashMap<EntityId, String> {
    let mut shown: HashMap<EntityId, String> = HashMap::new();
    for node in nodes {
        if let Some(id) = node.file.as_deref().and_then(|file| entities.get(file)) {
            shown.entry(*id).or_insert_with(|| node.id.clone());
        }
    }
    shown
}

fn file_node(id: &str, file: &str, (x, y): (i64, i64)) -> Json {
    json!({ "id": id, "type": "file", "file": file, "x": x, "y": y, "width": SIZE.0, "height": SIZE.1 })
}

/// An id that no other node or edge has.
fn find_free_id(wanted: &str, ids: &mut HashSet<String>) -> String {
    let mut id = wanted.to_owned();
    let mut copy = 1_u32;
    while !ids.insert(id.clone()) {
        copy += 1;
        id = format!("{wanted}-{copy}");
    }
    id
}
