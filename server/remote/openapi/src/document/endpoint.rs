//! The operations of a document: a method and a path each.

use crate::document::node::Node;
use crate::language::text::to_plain_text;
use crate::losses::{Kind, Losses};

/// The methods that a binding can have.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];
const OTHER_METHODS: [&str; 4] = ["head", "options", "trace", "query"];

/// An operation as the document has it.
pub(crate) struct Endpoint<'a> {
    pub(crate) method: &'static str,
    pub(crate) path: &'a str,
    /// Its `operationId`.
    pub(crate) id: Option<&'a str>,
    /// What it shares with the other methods of its path.
    pub(crate) item: Node<'a>,
    pub(crate) node: Node<'a>,
}

/// All operations, in the order of the document.
pub(crate) fn find_endpoints<'a>(root: &Node<'a>, losses: &mut Losses) -> Vec<Endpoint<'a>> {
    let mut endpoints = Vec::new();
    for (path, raw) in root.raw("paths").iter().flat_map(Node::entries) {
        if path.starts_with("x-") {
            continue;
        }
        let Some(item) = raw.resolve() else {
            losses.add(Kind::Reference, &raw.location(), "the reference leads nowhere: left out");
            continue;
        };
        for (key, node) in item.entries() {
            if let Some(method) = METHODS.into_iter().find(|method| *method == key) {
                let id = node.text("operationId");
                endpoints.push(Endpoint { method, path, id, item: item.clone(), node });
            } else if OTHER_METHODS.contains(&key) {
                lose_method(key, &node, losses);
            } else if key == "additionalOperations" {
                node.entries().for_each(|(method, node)| lose_method(method, &node, losses));
            }
        }
    }
    let webhooks = root.raw("webhooks");
    for (_, node) in webhooks.iter().flat_map(Node::entries) {
        losses.add(
            Kind::Operation,
            &node.location(),
            "left out: the API calls it, and not a caller",
        );
    }
    endpoints
}

fn lose_method(method: &str, node: &Node<'_>, losses: &mut Losses) {
    let method = to_plain_text(method).to_ascii_uppercase();
    losses.add(Kind::Operation, &node.location(), format!("left out: {method} is not bound"));
}
