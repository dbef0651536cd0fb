//! The whole manifest.

use std::collections::{BTreeMap, BTreeSet};

use crate::conversion::naming::{LONGEST_CATEGORY, ids};
use crate::conversion::operation::{Operation, convert};
use crate::conversion::provider::{Security, provider, summary, title};
use crate::conversion::types::Types;
use crate::document::documents::{Documents, ImportError};
use crate::document::endpoint::endpoints;
use crate::document::node::Node;
use crate::document::selection::selected;
use crate::language::names::{kebab, words};
use crate::language::shape::{Body, Declarations, Shape};
use crate::language::text;
use crate::language::yaml::{Mapping, Yaml};
use crate::losses::{Kind, Losses};
use crate::{Imported, Options};

/// The language reads at most 4 MiB; what is behind is left out.
const MOST_BYTES: usize = 3_800_000;

/// Writes the manifest of a document.
pub(crate) fn write(
    source: &str,
    documents: &Documents,
    options: &Options,
    mut losses: Losses,
) -> Result<Imported, ImportError> {
    let root = Node::root(documents);
    check_version(source, &root)?;
    let category = options.category.as_deref();
    if let Some(name) = category.filter(|name| kebab(name, "", LONGEST_CATEGORY) != **name) {
        return Err(ImportError::Category(name.to_owned()));
    }
    let all = endpoints(&root, &mut losses);
    let chosen = selected(all, &options.only)?;
    let security = Security::of(&root, &chosen, &mut losses);
    let mut types = Types::default();
    let mut operations = Vec::new();
    let mut bytes = 0;
    for (endpoint, id) in chosen.iter().zip(ids(&chosen, category)) {
        if bytes > MOST_BYTES {
            losses.add(Kind::Operation, &endpoint.node.place(), "left out: the manifest is full");
            continue;
        }
        let converted = convert(endpoint, &id, security.credential(), &mut types, &mut losses);
        if let Some(operation) = converted {
            bytes += operation.written.write().len() + operation.id.len();
            operations.push(operation);
        }
    }
    if operations.is_empty() {
        return Err(ImportError::Nothing);
    }
    let received: Vec<&Shape> = operations.iter().filter_map(|one| one.received.as_ref()).collect();
    let sent = operations.iter().flat_map(|one| &one.sent);
    let used = reachable(&types.declared, received.iter().copied().chain(sent));
    let received = reachable(&types.declared, received);
    let (settings, mut http) = provider(&root, documents, &security, &chosen, &mut losses);
    let shapes = shapes(&types.declared, &received);
    if !shapes.is_empty() {
        http.add("shapes", shapes);
    }
    let title = title(&root);
    let name = short_name(&title);
    let mut api = Mapping::block();
    api.add("title", title.as_str());
    api.add("summary", summary(&root, &title));
    api.add("settings", settings);
    api.add("http", http);
    let mut providers = Mapping::block();
    providers.add(name.as_str(), api);

    let mut server = Mapping::default();
    server.add("name", name.as_str());
    let mut manifest = Mapping::block();
    manifest.add("toolwrit", 1);
    manifest.add("server", server);
    manifest.add("categories", categories(&root, &operations));
    manifest.add("providers", providers);
    if !used.is_empty() {
        let declared = used.iter().map(|at| &types.declared.0[*at]);
        let mut written = Mapping::block();
        for one in declared {
            written.add(one.name.as_str(), types.declared.declared(one));
        }
        manifest.guess("types", written, "an answer without a field that is required here fails");
    }
    let count = operations.len();
    let mut written = Mapping::block();
    for operation in operations {
        written.add(operation.id, operation.written);
    }
    manifest.add("operations", written);
    let head = "# Imported from an OpenAPI document. Guesses have a comment: check each, then remove the comment.\n";
    Ok(Imported {
        manifest: format!("{head}{}", manifest.write()),
        operations: count,
        types: used.len(),
        losses: losses.into_list(),
    })
}

fn check_version(source: &str, root: &Node<'_>) -> Result<(), ImportError> {
    let version = root.value.get("openapi").and_then(|version| match version {
        serde_json::Value::String(text) => Some(text::plain(text)),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let error =
        |found: String, hint| Err(ImportError::Version { name: source.to_owned(), found, hint });
    match version {
        Some(version) if version.starts_with("3.0") || version.starts_with("3.1") => Ok(()),
        Some(version) => error(format!("OpenAPI {version}"), ""),
        None if root.value.get("swagger").is_some() => error(
            "Swagger 2.0".to_owned(),
            "; convert it first, for example with `npx swagger2openapi`",
        ),
        None => error("no OpenAPI document".to_owned(), ": its first key is `openapi`"),
    }
}

/// The types of shapes, and those inside them, in the order of their declaration.
pub(crate) fn reachable<'a>(
    types: &Declarations,
    shapes: impl IntoIterator<Item = &'a Shape>,
) -> BTreeSet<usize> {
    let mut used = BTreeSet::new();
    let mut next: Vec<usize> = shapes.into_iter().filter_map(Shape::named).collect();
    while let Some(id) = next.pop() {
        if let (true, Body::Record(fields)) = (used.insert(id), &types.0[id].body) {
            next.extend(fields.iter().filter_map(|field| field.shape.named()));
        }
    }
    used
}

/// The types whose fields have other names in the API.
fn shapes(types: &Declarations, received: &BTreeSet<usize>) -> Mapping {
    let mut shapes = Mapping::block();
    for declared in received.iter().map(|at| &types.0[*at]) {
        let Body::Record(fields) = &declared.body else { continue };
        let places = Declarations::places(fields);
        if !places.is_empty() {
            shapes.add(declared.name.as_str(), places);
        }
    }
    shapes
}

fn categories(root: &Node<'_>, operations: &[Operation]) -> Mapping {
    let mut tags: BTreeMap<String, &str> = BTreeMap::new();
    for tag in root.raw("tags").iter().flat_map(Node::items) {
        if let (Some(name), Some(description)) = (tag.text("name"), tag.text("description")) {
            tags.entry(kebab(name, "api", LONGEST_CATEGORY)).or_insert(description);
        }
    }
    let mut categories = Mapping::block();
    let mut seen = BTreeSet::new();
    for operation in operations.iter().filter(|operation| seen.insert(&operation.category)) {
        let name = operation.category.as_str();
        let described = tags.get(name).and_then(|text| text::summary(text));
        let summary = described
            .map_or_else(|| format!("Operations for {}.", words(name).join(" ")), |one| one.text);
        let mut category = Mapping::default();
        category.add("summary", summary);
        let mut keywords = words(name);
        keywords.dedup();
        let mut unique: Vec<Yaml> = Vec::new();
        let mut known = BTreeSet::new();
        for word in keywords {
            if known.insert(word.clone()) {
                unique.push(word.into());
            }
        }
        category.add("keywords", unique);
        categories.add(name, category);
    }
    categories
}

/// A short name of the API: its title without words that every API has.
fn short_name(title: &str) -> String {
    const EVERY: [&str; 12] = [
        "the", "a", "an", "api", "rest", "openapi", "platform", "public", "service", "v1", "v2",
        "v3",
    ];
    let kept: Vec<String> =
        words(title).into_iter().filter(|word| !EVERY.contains(&word.as_str())).take(2).collect();
    kebab(&kept.join("-"), "api", 24)
}
