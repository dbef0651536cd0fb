//! Rust types for the manifest's shapes: aliases for scalars, enums, structs, and their conversions
//! from checked arguments and to JSON.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use toolwrit_manifest::{EnumValue, Field, IntegerFormat, Model, Presence, Shape};

use super::doc;
use super::usage::{self, TypeUsage};
use crate::names;

/// The module of the declared types.
pub(super) fn module(model: &Model) -> TokenStream {
    let module = names::types();
    let mut types = GeneratedTypes::new(model, quote!());
    for (declared, usage) in model.types.iter().zip(usage::of_types(model)) {
        let name = names::declared(declared);
        types.define(&name, &declared.shape, declared.description.as_deref(), usage);
    }
    let items = types.items;
    let serde = serde_import(model);
    quote! {
        /// The types that the manifest declares.
        #[allow(missing_docs, rustdoc::all)]
        pub mod #module {
            #serde
            #(#items)*
        }
    }
}

/// The imports for derives of serde's traits in a module.
pub(super) fn serde_import(model: &Model) -> Option<TokenStream> {
    model.server.serde.then(|| {
        quote! {
            #[allow(unused_imports)]
            use ::toolwrit::generated::serde as toolwrit_serde;
        }
    })
}

/// The types of one generated module. Enums and objects inside other shapes get a name of their
/// own: `ReadOptions` for the field `options` of `Read`.
pub(super) struct GeneratedTypes<'a> {
    model: &'a Model,
    /// The path from this module to that of the declared types.
    declared: TokenStream,
    /// The finished items, each before those inside it.
    pub(super) items: Vec<TokenStream>,
}

impl<'a> GeneratedTypes<'a> {
    pub(super) fn new(model: &'a Model, declared: TokenStream) -> Self {
        Self { model, declared, items: Vec::new() }
    }

    /// Defines a type.
    pub(super) fn define(
        &mut self,
        name: &Ident,
        shape: &Shape,
        text: Option<&str>,
        usage: TypeUsage,
    ) {
        match shape {
            Shape::Enum(values) => {
                let serde = self.serde();
                self.items.push(enumeration(name, values, text, usage, serde.as_ref()));
            }
            Shape::Record(fields) => self.record(name, fields, text, usage),
            _ => {
                let at = self.reserve();
                let target = self.rust_type(shape, &names::item(name), usage);
                let about = text.map(doc);
                self.items[at] = quote! {
                    #about
                    pub type #name = #target;
                };
            }
        }
    }

    /// Defines a struct with its conversions.
    fn record(&mut self, name: &Ident, fields: &[Field], text: Option<&str>, usage: TypeUsage) {
        self.structure(name, fields, text, usage);
        let idents: Vec<_> = fields.iter().map(|field| names::member(&field.name)).collect();
        if usage.input {
            self.items.push(quote! {
                impl ::toolwrit::generated::FromArgValue for #name {
                    fn from_slot(slot: ::toolwrit::generated::ArgValue) -> Self {
                        let mut slots = ::toolwrit::generated::ArgValues::from_slot(slot);
                        Self { #(#idents: slots.take(),)* }
                    }
                }
            });
        }
        if usage.output {
            let count = fields.len();
            let keys = fields.iter().map(|field| &field.name);
            self.items.push(quote! {
                impl ::toolwrit::generated::IntoJson for #name {
                    fn into_json(self) -> ::toolwrit::Json {
                        ::toolwrit::generated::Object::with_capacity(#count)
                            #(.field(#keys, self.#idents))*
                            .build()
                    }
                }
            });
        }
    }

    /// Defines a struct without conversions.
    pub(super) fn structure(
        &mut self,
        name: &Ident,
        fields: &[Field],
        text: Option<&str>,
        usage: TypeUsage,
    ) {
        let at = self.reserve();
        let about = text.map(doc);
        let idents = fields.iter().map(|field| names::member(&field.name));
        let docs = fields.iter().map(|field| self.model.description_of(field).map(doc));
        let (idents, docs): (Vec<_>, Vec<_>) = idents.zip(docs).unzip();
        let types: Vec<_> = fields.iter().map(|field| self.member(name, field, usage)).collect();
        let attributes = fields.iter().map(|field| self.serde_attribute(field));
        let serde = self.serde();
        self.items[at] = quote! {
            #about
            #[derive(Debug, Clone, PartialEq)]
            #serde
            pub struct #name {
                #(#docs #attributes pub #idents: #types,)*
            }
        };
    }

    /// Defines an alias for a type, such as that of a result that is not a value.
    pub(super) fn alias(&mut self, name: &Ident, target: &TokenStream, about: &str) {
        let doc = doc(about);
        self.items.push(quote! {
            #doc
            pub type #name = #target;
        });
    }

    fn member(&mut self, owner: &Ident, field: &Field, usage: TypeUsage) -> TokenStream {
        let name = names::inside(owner, &field.name);
        let mut ty = match self.model.resolve(&field.shape) {
            Shape::Array { items, .. } if field.separate => {
                let item = self.rust_type(items, &name, usage);
                quote!(::std::vec::Vec<::std::result::Result<#item, ::toolwrit::RefusedItem>>)
            }
            _ => self.rust_type(&field.shape, &name, usage),
        };
        if field.nullable {
            ty = quote!(::toolwrit::Nullable<#ty>);
        }
        match field.presence {
            Presence::Optional => quote!(::std::option::Option<#ty>),
            Presence::Required | Presence::Default(_) => ty,
        }
    }

    /// The Rust type of a shape. A type without a name of its own is defined under the given one.
    fn rust_type(&mut self, shape: &Shape, name: &Ident, usage: TypeUsage) -> TokenStream {
        match shape {
            Shape::String { .. } => quote!(::std::string::String),
            Shape::Integer { format: IntegerFormat::I64, .. } => quote!(i64),
            Shape::Integer { format: IntegerFormat::U64, .. } => quote!(u64),
            Shape::Integer { format: IntegerFormat::I32, .. } => quote!(i32),
            Shape::Integer { format: IntegerFormat::U32, .. } => quote!(u32),
            Shape::Number { .. } => quote!(f64),
            Shape::Boolean => quote!(bool),
            Shape::Date => quote!(::toolwrit::Date),
            Shape::DateTime => quote!(::toolwrit::Timestamp),
            Shape::Json => quote!(::toolwrit::Json),
            Shape::Array { items, .. } => {
                let item = self.rust_type(items, name, usage);
                quote!(::std::vec::Vec<#item>)
            }
            Shape::Map(values) => {
                let value = self.rust_type(values, name, usage);
                quote!(::toolwrit::generated::BTreeMap<::std::string::String, #value>)
            }
            Shape::Named(id) => {
                let module = &self.declared;
                let name = names::declared(&self.model[*id]);
                quote!(#module #name)
            }
            Shape::Enum(_) | Shape::Record(_) => {
                self.define(name, shape, None, usage);
                quote!(#name)
            }
        }
    }

    /// The derives of serde's traits, if the manifest enables them.
    fn serde(&self) -> Option<TokenStream> {
        self.model.server.serde.then(|| {
            quote! {
                #[derive(toolwrit_serde::Serialize, toolwrit_serde::Deserialize)]
                #[serde(crate = "toolwrit_serde")]
            }
        })
    }

    /// Leaves absent fields out, as the engine's own JSON does.
    fn serde_attribute(&self, field: &Field) -> Option<TokenStream> {
        let is_wanted = self.model.server.serde && field.presence == Presence::Optional;
        is_wanted.then(|| quote!(#[serde(skip_serializing_if = "::std::option::Option::is_none")]))
    }

    /// Reserves a place in the list for an item whose inner types are defined first.
    fn reserve(&mut self) -> usize {
        self.items.push(TokenStream::new());
        self.items.len() - 1
    }
}

fn enumeration(
    name: &Ident,
    values: &[EnumValue],
    text: Option<&str>,
    usage: TypeUsage,
    serde: Option<&TokenStream>,
) -> TokenStream {
    let about = text.map(doc);
    let variants: Vec<_> = values.iter().map(|value| names::variant(&value.name)).collect();
    let docs = values.iter().map(|EnumValue { name, description }| match description {
        Some(description) => doc(&format!("`{name}`: {description}")),
        None => doc(&format!("`{name}`")),
    });
    let values = values.iter().map(|value| &value.name);
    let renames = values.clone().map(|value| serde.map(|_| quote!(#[serde(rename = #value)])));
    let from_slot = usage.input.then(|| {
        quote! {
            impl ::toolwrit::generated::FromArgValue for #name {
                fn from_slot(slot: ::toolwrit::generated::ArgValue) -> Self {
                    Self::ALL[::toolwrit::generated::choice(&slot)]
                }
            }
        }
    });
    let into_json = usage.output.then(|| {
        quote! {
            impl ::toolwrit::generated::IntoJson for #name {
                fn into_json(self) -> ::toolwrit::Json {
                    ::toolwrit::generated::IntoJson::into_json(self.as_str())
                }
            }
        }
    });
    quote! {
        #about
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #serde
        pub enum #name {
            #(#docs #renames #variants,)*
        }
        impl #name {
            /// All values, in the order of the manifest.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// The value in the manifest.
            pub const fn as_str(self) -> &'static str {
                match self {
                    #(Self::#variants => #values,)*
                }
            }
        }
        impl ::std::fmt::Display for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }
        impl ::std::str::FromStr for #name {
            type Err = ::toolwrit::UnknownValue;
            // Not `Self::Err`, which may also be a value.
            fn from_str(word: &str) -> ::std::result::Result<Self, ::toolwrit::UnknownValue> {
                ::toolwrit::generated::value(word, Self::ALL, Self::as_str)
            }
        }
        #from_slot
        #into_json
    }
}
