//! The whole manifest.

use std::collections::{BTreeMap, BTreeSet};

use crate::Imported;
use crate::conversion::naming::{LONGEST_CATEGORY, LONGEST_SERVER, assign_ids};
use crate::conversion::operation::{Operation, convert_operation};
use crate::conversion::provider::{api_summary, api_title, write_provider};
use crate::conversion::security::Security;
use crate::conversion::types::Types;
use crate::document::documents::{Documents, ImportError};
use crate::document::endpoint::find_endpoints;
use crate::document::node::Node;
use crate::document::selection::select_endpoints;
use crate::language::names::{split_words, to_kebab_case};
use crate::language::shape::{Body, Declarations, Shape};
use crate::language::text;
use crate::language::yaml::{Mapping, Yaml};
use crate::losses::{Kind, Losses};
use crate::options::Options;

/// The language reads at most 4 MiB; what is behind is left out.
const MOST_BYTES: usize = 3_800_000;

/// Writes the manifest of a document.
pub(crate) fn write_manifest(
    source: &str,
    documents: &Documents,
    options: &Options,
    mut losses: Losses,
) -> Result<Imported, ImportError> {
    let root = Node::root(documents);
    check_version(source, &root)?;
    let category = options.category.as_deref();
    if let Some(name) = category.filter(|name| to_kebab_case(name, "", LONGEST_CATEGORY) != **name)
    {
        return Err(ImportError::Category(name.to_owned()));
    }
    let all = find_endpoints(&root, &mut losses);
    let chosen = select_endpoints(all, &options.only)?;
    let security = Security::choose(&root, &chosen, &mut losses);
    let title = api_title(&root);
    let name = short_name(&title);
    let mut types = Types::default();
    let mut operations = Vec::new();
    let mut bytes = 0;
    for (endpoint, id) in chosen.iter().zip(assign_ids(&chosen, category, &name)) {
        if bytes > MOST_BYTES {
            losses.add(
                Kind::Operation,
                &endpoint.node.location(),
                "left out: the manifest is full",
            );
            continue;
        }
        let converted =
            convert_operation(endpoint, &id, &security.credentials(), &mut types, &mut losses);
        if let Some(operation) = converted {
            bytes += operation.written.write().len() + operation.id.len();
            operations.push(operation);
        }
    }
    if operations.is_empty() {
        return Err(ImportError::Nothing);
    }
    let received: Vec<&Shape> =
        operations.iter().filter_map(|operation| operation.received.as_ref()).collect();
    let sent = operations.iter().flat_map(|operation| &operation.sent);
    let used = reachable_types(&types.declared, received.iter().copied().chain(sent));
    let received = reachable_types(&types.declared, received);
    let (settings, mut http) = write_provider(&root, documents, &security, &chosen, &mut losses);
    let shapes = write_shapes(&types.declared, &received);
    if !shapes.is_empty() {
        http.add("shapes", shapes);
    }
    let mut api = Mapping::block();
    api.add("title", title.as_str());
    api.add("summary", api_summary(&root, &title));
    api.add("settings", settings);
    api.add("http", http);
    let mut providers = Mapping::block();
    providers.add(name.as_str(), api);

    let mut server = Mapping::default();
    server.add("name", name.as_str());
    let mut manifest = Mapping::block();
    manifest.add("toolwrit", 1);
    manifest.add("server", server);
    manifest.add("categories", write_categories(&root, &operations));
    manifest.add("providers", providers);
    if !used.is_empty() {
        let declared = used.iter().map(|at| &types.declared.0[*at]);
        let mut written = Mapping::block();
        for one in declared {
            written.add(one.name.as_str(), types.declared.write_type(one));
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
        serde_json::Value::String(text) => Some(text::to_plain_text(text)),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let error =
        |found: String, hint| Err(ImportError::Version { name: source.to_owned(), found, hint });
    match version {
        Some(version) if ["3.0", "3.1", "3.2"].iter().any(|known| version.starts_with(known)) => {
            Ok(())
        }
        Some(version) => error(format!("OpenAPI {version}"), ""),
        None if root.value.get("swagger").is_some() => error("Swagger before 2.0".to_owned(), ""),
        None => error("no OpenAPI document".to_owned(), ": its first key is `openapi`"),
    }
}

/// The types of shapes, and those inside them, in the order of their declaration.
pub(crate) fn reachable_types<'a>(
    types: &Declarations,
    shapes: impl IntoIterator<Item = &'a Shape>,
) -> BTreeSet<usize> {
    let mut used = BTreeSet::new();
    let mut next: Vec<usize> = shapes.into_iter().filter_map(Shape::declared_type).collect();
    while let Some(id) = next.pop() {
        if let (true, Body::Record(fields)) = (used.insert(id), &types.0[id].body) {
            next.extend(fields.iter().filter_map(|field| field.shape.declared_type()));
        }
    }
    used
}

/// The types whose fields have other names in the API.
fn write_shapes(types: &Declarations, received: &BTreeSet<usize>) -> Mapping {
    let mut shapes = Mapping::block();
    for declared in received.iter().map(|at| &types.0[*at]) {
        let Body::Record(fields) = &declared.body else { continue };
        let paths = Declarations::field_paths(fields);
        if !paths.is_empty() {
            shapes.add(declared.name.as_str(), paths);
        }
    }
    shapes
}

fn write_categories(root: &Node<'_>, operations: &[Operation]) -> Mapping {
    let mut tags: BTreeMap<String, &str> = BTreeMap::new();
    for tag in root.raw("tags").iter().flat_map(Node::items) {
        if let (Some(name), Some(description)) = (tag.text("name"), tag.text("description")) {
            tags.entry(to_kebab_case(name, "api", LONGEST_CATEGORY)).or_insert(description);
        }
    }
    let mut categories = Mapping::block();
    let mut seen = BTreeSet::new();
    for operation in operations.iter().filter(|operation| seen.insert(&operation.category)) {
        let name = operation.category.as_str();
        let described = tags.get(name).and_then(|text| text::summarize(text));
        let summary = described.map_or_else(
            || format!("Operations for {}.", split_words(name).join(" ")),
            |one| one.text,
        );
        let mut category = Mapping::default();
        category.add("summary", summary);
        let mut keywords = split_words(name);
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
    let kept: Vec<String> = split_words(title)
        .into_iter()
        .filter(|word| !EVERY.contains(&word.as_str()))
        .take(2)
        .collect();
    to_kebab_case(&kept.join("-"), "api", LONGEST_SERVER)
}
