//! What generated items are called. The only file that turns a manifest's names into Rust's.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use toolwrit_manifest::{Model, OperationId};

/// The module of the declared types, beside the modules of the categories.
pub(crate) const TYPES: &str = "types";
/// The trait in every category's module.
pub(crate) const HANDLERS: &str = "Handlers";
/// The struct that binds an application to the authority.
pub(crate) const TOOLS: &str = "Tools";

/// Names given out in one Rust namespace. Manifest names that Rust cannot tell apart (`a-b` and
/// `a_b`) get a number, in manifest order.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    taken: HashSet<String>,
}

impl Scope {
    /// A scope in which some names are taken from the start.
    pub(crate) fn with(taken: &[&str]) -> Self {
        Self { taken: taken.iter().map(|&name| name.to_owned()).collect() }
    }

    /// Gives the wanted name, or the first of `wanted2`, `wanted3`, .. that is free.
    pub(crate) fn claim(&mut self, wanted: &str) -> Ident {
        // The words that even `r#` does not free.
        let wanted = match wanted {
            "self" | "Self" | "super" | "crate" => &format!("{wanted}_"),
            wanted => wanted,
        };
        let mut name = wanted.to_owned();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}{number}");
        }
        ident(&name)
    }
}

/// The names of everything that more than one generated item mentions.
#[derive(Debug)]
pub(crate) struct Names {
    types: Vec<Ident>,
    type_tables: Vec<Ident>,
    categories: Vec<Ident>,
    operations: Vec<OperationNames>,
}

/// The names that belong to one operation.
#[derive(Debug)]
pub(crate) struct OperationNames {
    /// `Read`, the parameters.
    pub(crate) params: Ident,
    /// `ReadResult`.
    pub(crate) result: Ident,
    /// `read`, the method of the `Handlers` trait.
    pub(crate) method: Ident,
    /// `vault_read`, the function that runs it.
    pub(crate) call: Ident,
}

impl Names {
    /// Names everything in a model. Deterministic.
    pub(crate) fn new(model: &Model) -> Self {
        let mut types = Scope::default();
        let mut tables = Scope::default();
        let mut modules = Scope::with(&[TYPES]);
        let mut calls = Scope::default();
        let mut insides: Vec<_> = model.categories.iter().map(|_| Inside::default()).collect();
        let params: Vec<_> = model
            .operations
            .iter()
            .map(|operation| {
                insides[operation.category.index()].types.claim(&camel(&operation.name))
            })
            .collect();
        let operations = model
            .operations
            .iter()
            .zip(params)
            .map(|(operation, params)| {
                let inside = &mut insides[operation.category.index()];
                OperationNames {
                    result: inside.types.claim(&format!("{}Result", unraw(&params))),
                    method: inside.methods.claim(&snake(&operation.name)),
                    call: calls.claim(&snake(&operation.id)),
                    params,
                }
            })
            .collect();
        Self {
            types: model.types.iter().map(|ty| types.claim(&camel(&ty.name))).collect(),
            type_tables: model.types.iter().map(|ty| tables.claim(&upper(&ty.name))).collect(),
            categories: model
                .categories
                .iter()
                .map(|category| modules.claim(&snake(&category.name)))
                .collect(),
            operations,
        }
    }

    /// The Rust types of the declared types.
    pub(crate) fn types(&self) -> &[Ident] {
        &self.types
    }

    /// The tables of the declared types.
    pub(crate) fn type_tables(&self) -> &[Ident] {
        &self.type_tables
    }

    /// The modules of the categories.
    pub(crate) fn categories(&self) -> &[Ident] {
        &self.categories
    }

    /// The items of an operation.
    pub(crate) fn operation(&self, id: OperationId) -> &OperationNames {
        &self.operations[id.index()]
    }

    /// A scope for further types of the module of types.
    pub(crate) fn types_scope(&self) -> Scope {
        Scope { taken: self.types.iter().map(unraw).collect() }
    }

    /// A scope for further types of a category's module.
    pub(crate) fn category_scope(&self, operations: &[OperationId]) -> Scope {
        let mut scope = Scope::with(&[HANDLERS]);
        for names in operations.iter().map(|id| self.operation(*id)) {
            scope.taken.extend([unraw(&names.params), unraw(&names.result)]);
        }
        scope
    }
}

/// The namespaces inside a category's module.
struct Inside {
    types: Scope,
    methods: Scope,
}

impl Default for Inside {
    fn default() -> Self {
        Self { types: Scope::with(&[HANDLERS]), methods: Scope::default() }
    }
}

/// `in_progress` or `in-progress` as `InProgress`. Only ASCII letters and digits are kept.
pub(crate) fn camel(name: &str) -> String {
    let words = words(name).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    started(words.collect(), "Value")
}

/// `vault.read` as `vault_read`.
fn snake(name: &str) -> String {
    started(words(name).collect::<Vec<_>>().join("_").to_ascii_lowercase(), "value")
}

/// `NotePath` as `NOTE_PATH`.
fn upper(name: &str) -> String {
    let mut upper = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            upper.push('_');
        }
        upper.push(letter.to_ascii_uppercase());
    }
    snake(&upper).to_ascii_uppercase()
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// An identifier cannot be empty or start with a digit.
fn started(name: String, empty: &str) -> String {
    match name.bytes().next() {
        None => empty.to_owned(),
        Some(b'0'..=b'9') => format!("_{name}"),
        Some(_) => name,
    }
}

/// The identifier, raw where Rust has taken the word.
fn ident(name: &str) -> Ident {
    if is_keyword(name) {
        Ident::new_raw(name, Span::call_site())
    } else {
        Ident::new(name, Span::call_site())
    }
}

/// The identifier's text without `r#`.
pub(crate) fn unraw(ident: &Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

/// Strict and reserved keywords of the 2024 edition.
fn is_keyword(name: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do",
        "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in",
        "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
        "return", "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe",
        "unsized", "use", "virtual", "where", "while", "yield",
    ];
    KEYWORDS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_variants() {
        let cases = [
            ("in_progress", "InProgress"),
            ("in-progress", "InProgress"),
            ("smart connections", "SmartConnections"),
            ("camelCase", "CamelCase"),
            ("1h", "_1h"),
            ("<=", "Value"),
            ("", "Value"),
            ("été", "T"),
        ];
        for (value, variant) in cases {
            assert_eq!(camel(value), variant, "{value}");
        }
    }

    #[test]
    fn tables_are_shouted() {
        assert_eq!(upper("NotePath"), "NOTE_PATH");
        assert_eq!(upper("Status"), "STATUS");
    }

    #[test]
    fn a_scope_never_gives_a_name_twice() {
        let mut scope = Scope::with(&["Handlers"]);
        let given: Vec<_> = ["Read", "Read", "Read2", "Handlers", "Self", "Self"]
            .iter()
            .map(|wanted| scope.claim(wanted).to_string())
            .collect();
        assert_eq!(given, ["Read", "Read2", "Read22", "Handlers2", "Self_", "Self_2"]);
    }

    #[test]
    fn keywords_are_raw_where_rust_allows_it() {
        let mut scope = Scope::default();
        assert_eq!(scope.claim("type").to_string(), "r#type");
        assert_eq!(scope.claim("gen").to_string(), "r#gen");
        assert_eq!(scope.claim("self").to_string(), "self_");
    }
}
