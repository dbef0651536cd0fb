//! The structure of the workspace: the dependencies between crates, and that no modules of a crate import
//! each other in a cycle.
#![expect(clippy::unwrap_used, reason = "a file that cannot be read must fail the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::str::FromStr as _;

use super::repository;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use serde_json::Value;

/// The path of a module, from the root of its crate.
type Module = Vec<String>;

/// The modules of a crate that are files, and the modules that each imports.
#[derive(Default)]
struct Crate {
    imports: BTreeMap<Module, BTreeSet<Module>>,
}

impl Crate {
    fn read(source: &Path) -> Self {
        let mut files = BTreeMap::new();
        collect(source, &mut Vec::new(), &mut files);
        let modules: BTreeSet<Module> = files.keys().cloned().collect();
        let imports = files.iter().map(|(module, text)| {
            let tokens = TokenStream::from_str(text).unwrap();
            let mut paths = Vec::new();
            paths_in(tokens, &[], &mut paths);
            let found = paths.iter().filter_map(|path| resolve(&modules, module, path));
            (module.clone(), found.filter(|found| found != module).collect())
        });
        Self { imports: imports.collect() }
    }

    /// The folder of a module: its own if there are modules below it.
    fn folder<'a>(&self, module: &'a [String]) -> &'a [String] {
        let is_below = |other: &Module| other.len() > module.len() && other.starts_with(module);
        let is_folder = self.imports.keys().any(is_below);
        if is_folder { module } else { &module[..module.len().saturating_sub(1)] }
    }

    /// Imports that are part of a cycle: between files of different folders, and between the modules of a
    /// folder, each including everything below it.
    fn circles(&self) -> BTreeSet<String> {
        let mut circles = BTreeSet::new();
        for (from, to) in closing(&self.imports) {
            if self.folder(&from) != self.folder(&to) {
                circles.insert(format!("{} -> {}", name(&from), name(&to)));
            }
        }
        let parents: BTreeSet<&[String]> = self
            .imports
            .keys()
            .filter_map(|module| module.split_last())
            .map(|(_, at)| at)
            .collect();
        for parent in parents {
            let below = |module: &Module| {
                module
                    .starts_with(parent)
                    .then(|| module.get(..=parent.len()).map(<[_]>::to_vec))?
            };
            let mut siblings: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
            for (from, to) in self.imports.iter().filter_map(|(from, to)| Some((below(from)?, to)))
            {
                let others = to.iter().filter_map(below).filter(|to| *to != from);
                siblings.entry(from.clone()).or_default().extend(others);
            }
            let found = closing(&siblings).into_iter();
            circles.extend(found.map(|(from, to)| format!("{} -> {}", name(&from), name(&to))));
        }
        circles
    }
}

/// The imports from which the importing module can be reached again.
fn closing(imports: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<(Module, Module)> {
    let reachable = |from: &Module| {
        let mut reached = BTreeSet::new();
        let mut next = vec![from];
        while let Some(module) = next.pop() {
            for import in imports.get(module).into_iter().flatten() {
                if reached.insert(import) {
                    next.push(import);
                }
            }
        }
        reached
    };
    let reachable: BTreeMap<&Module, _> =
        imports.keys().map(|module| (module, reachable(module))).collect();
    let all = imports.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    let closing = all.filter(|(from, to)| reachable.get(to).is_some_and(|it| it.contains(from)));
    closing.map(|(from, to)| (from.clone(), to.clone())).collect()
}

fn name(module: &[String]) -> String {
    if module.is_empty() { "the root".to_owned() } else { module.join("::") }
}

/// The files below a folder, by their modules.
fn collect(folder: &Path, at: &mut Module, files: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            at.push(stem);
            collect(&path, at, files);
            at.pop();
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let mut module = at.clone();
            if !["mod", "lib", "main"].contains(&stem.as_str()) {
                module.push(stem);
            }
            files.insert(module, fs::read_to_string(&path).unwrap());
        }
    }
}

/// The paths of two or more names in some code, with nested imports expanded. Tests are ignored.
fn paths_in(tokens: TokenStream, prefix: &[String], paths: &mut Vec<Vec<String>>) {
    let mut path = prefix.to_vec();
    let mut colons = 0;
    let mut is_test = false;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if colons == 2 || path.len() == prefix.len() => {
                path.push(ident.to_string());
                colons = 0;
            }
            TokenTree::Ident(ident) => {
                paths.push(std::mem::replace(&mut path, prefix.to_vec()));
                path.push(ident.to_string());
                colons = 0;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            TokenTree::Group(group) => {
                let is_brace = group.delimiter() == Delimiter::Brace;
                let inner = if is_brace && colons == 2 { path.clone() } else { Vec::new() };
                paths.push(std::mem::replace(&mut path, prefix.to_vec()));
                let text = group.stream().to_string();
                if !(is_test && is_brace || is_visibility(&group)) {
                    paths_in(group.stream(), &inner, paths);
                }
                is_test = text == "cfg (test)" || text == "cfg(test)" || (is_test && !is_brace);
                colons = 0;
            }
            TokenTree::Punct(punct) => {
                paths.push(std::mem::replace(&mut path, prefix.to_vec()));
                is_test &= punct.as_char() == '#';
                colons = 0;
            }
            TokenTree::Literal(_) => colons = 0,
        }
    }
    paths.push(path);
    paths.retain(|path| path.len() > 1);
}

/// Whether this is the group of `pub(in path)`, which imports nothing.
fn is_visibility(group: &Group) -> bool {
    let first = group.stream().into_iter().next();
    matches!(first, Some(TokenTree::Ident(ident)) if ident == "in")
}

/// The module that a path in another module names, or whose item it names.
fn resolve(modules: &BTreeSet<Module>, from: &Module, path: &[String]) -> Option<Module> {
    let mut at = from.clone();
    for (index, name) in path.iter().enumerate() {
        match name.as_str() {
            "crate" => at.clear(),
            "super" => drop(at.pop()),
            "self" => {}
            name => {
                at.push(name.to_owned());
                if !modules.contains(&at) {
                    at.pop();
                    return (index > 0).then_some(at);
                }
            }
        }
    }
    Some(at)
}

/// Cargo's metadata of the workspace's crates.
fn packages() -> Vec<Value> {
    let run = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let mut metadata: Value = serde_json::from_slice(&run.stdout).unwrap();
    let Value::Array(packages) = metadata["packages"].take() else { panic!("no packages") };
    packages
}

#[test]
fn no_modules_of_a_crate_import_each_other_in_a_cycle() {
    let mut circles = BTreeMap::new();
    for package in packages() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let source = manifest.with_file_name("src");
        let name = package["name"].as_str().unwrap();
        if source.is_dir() {
            let found = Crate::read(&source).circles();
            if !found.is_empty() {
                circles.insert(name.to_owned(), found);
            }
        }
    }
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn cycles_are_found() {
    let circles = |files: &[(&str, &str)]| {
        let source = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = source.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Crate::read(source.path()).circles().into_iter().collect::<Vec<_>>()
    };
    let root = ("lib.rs", "mod a; mod b; pub use a::inner::A; pub use b::B;");
    let straight = ("a/mod.rs", "mod inner; mod leaf; pub(crate) struct Own;");
    let inner = ("a/inner.rs", "use super::Own; use crate::b::B; use super::leaf::Leaf;");
    assert!(
        circles(&[root, straight, inner, ("a/leaf.rs", ""), ("b.rs", "pub struct B;")]).is_empty()
    );
    let user = ("a/mod.rs", "mod deep; use deep::leaf::Leaf; pub(crate) struct Own;");
    let visible = ("a/deep/leaf.rs", "pub(in crate::a) struct Leaf;");
    assert!(circles(&[user, ("a/deep/mod.rs", "mod leaf;"), visible]).is_empty());
    let of_files = [root, straight, inner, ("a/leaf.rs", ""), ("b.rs", "use crate::a::inner::A;")];
    assert_eq!(circles(&of_files), ["a -> b", "a::inner -> b", "b -> a", "b -> a::inner"]);
    // No file imports itself indirectly, but each folder uses the other.
    let of_folders =
        [root, straight, inner, ("a/leaf.rs", ""), ("b.rs", "use crate::a::leaf::Leaf;")];
    assert_eq!(circles(&of_folders), ["a -> b", "b -> a"]);
    let of_siblings = [root, straight, inner, ("a/leaf.rs", "use super::inner::A;"), ("b.rs", "")];
    assert_eq!(circles(&of_siblings), ["a::inner -> a::leaf", "a::leaf -> a::inner"]);
}

/// The dependencies in the picture of ARCHITECTURE.md: `mcp ─> core, retrieval`.
fn drawn() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once(" ─> "));
    let lines = lines.filter(|(from, _)| from.chars().all(|c| c.is_ascii_lowercase()));
    let names = |names: &str| names.split(',').map(|name| name.trim().to_owned()).collect();
    let mut drawn: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in lines {
        drawn.entry(from.to_owned()).or_default().extend::<BTreeSet<_>>(names(to));
    }
    drawn
}

#[test]
fn crates_depend_on_each_other_as_the_picture_shows() {
    let short = |name: &str| match name {
        "toolwrit" => Some("engine".to_owned()),
        name => name.strip_prefix("toolwrit-").map(str::to_owned),
    };
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        let Some(from) = short(package["name"].as_str().unwrap()) else { continue };
        if from.ends_with("tests") {
            continue;
        }
        for dependency in package["dependencies"].as_array().unwrap() {
            let to = short(dependency["name"].as_str().unwrap());
            if let Some(to) = to.filter(|_| dependency["kind"].is_null()) {
                found.entry(from.clone()).or_default().insert(to);
            }
        }
    }
    assert_eq!(drawn(), found);
}
