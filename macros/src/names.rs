//! The names of generated items. `toolwrit_manifest::rust_names` converts a manifest's names to Rust
//! names, and the load has checked that these are unique.

use proc_macro2::{Ident, Span};
use quote::format_ident;
use toolwrit_manifest::rust_names::{is_keyword, type_name, value_name, variant_name};
use toolwrit_manifest::{Category, ErrorDef, Operation, TypeDef};

/// The module of the declared types, next to the modules of the categories.
pub(crate) fn types() -> Ident {
    ident("types")
}

/// A category's module.
pub(crate) fn module(category: &Category) -> Ident {
    ident(&value_name(&category.name))
}

/// The struct of an operation's parameters.
pub(crate) fn params(operation: &Operation) -> Ident {
    ident(&type_name(&operation.name))
}

/// The type of an operation's result.
pub(crate) fn result(operation: &Operation) -> Ident {
    format_ident!("{}Result", params(operation))
}

/// An operation's method in the trait of its category.
pub(crate) fn method(operation: &Operation) -> Ident {
    ident(&value_name(&operation.name))
}

/// The function that runs the operation at a position.
pub(crate) fn call(at: usize) -> Ident {
    format_ident!("call_{at}")
}

/// The constructor of a declared error.
pub(crate) fn constructor(error: &ErrorDef) -> Ident {
    ident(&error.name.to_ascii_lowercase())
}

/// The Rust type of a declared type.
pub(crate) fn declared(ty: &TypeDef) -> Ident {
    ident(&ty.name)
}

/// A member of a struct.
pub(crate) fn member(field: &str) -> Ident {
    ident(&value_name(field))
}

/// A value of an enum.
pub(crate) fn variant(value: &str) -> Ident {
    ident(&variant_name(value))
}

/// The type inside another one, named after a member.
pub(crate) fn inside(owner: &Ident, field: &str) -> Ident {
    format_ident!("{owner}{}", type_name(field))
}

/// The item type of a named list or map, if the items have no name of their own.
pub(crate) fn item(owner: &Ident) -> Ident {
    format_ident!("{owner}Item")
}

/// The identifier; keywords are raw.
fn ident(name: &str) -> Ident {
    if is_keyword(name) {
        Ident::new_raw(name, Span::call_site())
    } else {
        Ident::new(name, Span::call_site())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_raw() {
        for (name, written) in [("type", "r#type"), ("gen", "r#gen"), ("kind", "kind")] {
            assert_eq!(ident(name).to_string(), written);
        }
    }
}
