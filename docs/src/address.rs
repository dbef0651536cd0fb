//! Addresses of pages. A page has a path without extension; a file, and a link from one page to another, have one.

/// The folder of the pages of operations and categories.
const OPERATIONS: &str = "operations";

/// The page of an operation in a site, such as `operations/vault/read.html`.
pub fn operation_address(id: &str) -> String {
    format!("{}.html", operation_path(id))
}

/// The page of a category in a site, such as `operations/vault.html`.
pub fn category_address(category: &str) -> String {
    format!("{}.html", category_path(category))
}

pub(crate) fn operation_path(id: &str) -> String {
    format!("{OPERATIONS}/{}", id.replace('.', "/"))
}

/// The page of the declared types, and the folder of those of each.
pub(crate) const TYPES: &str = "reference/types";

/// The page of the prompts.
pub(crate) const PROMPTS: &str = "reference/prompts";

pub(crate) fn type_path(name: &str) -> String {
    format!("{TYPES}/{name}")
}

pub(crate) fn category_path(category: &str) -> String {
    format!("{OPERATIONS}/{category}")
}

/// The way from a page to the root of the site: nothing, or `../` for each folder.
pub(crate) fn path_to_root(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}

/// The link from one page to another, or to a place in it, with this extension.
pub(crate) fn relative_link(from: &str, to: &str, extension: &str) -> String {
    let (path, anchor) = to.split_once('#').map_or((to, None), |(path, rest)| (path, Some(rest)));
    match anchor {
        Some(anchor) if path == from => format!("#{anchor}"),
        Some(anchor) => format!("{}{path}.{extension}#{anchor}", path_to_root(from)),
        None => format!("{}{path}.{extension}", path_to_root(from)),
    }
}

/// The path that a `relative_link` link leads to, from a folder of the site.
pub(crate) fn resolve_link(folder: &str, link: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
