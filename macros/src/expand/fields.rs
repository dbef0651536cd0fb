//! Field tables, which the engine's validator reads. Each declared type becomes one table. Each
//! pattern becomes one `static`, because it is compiled once, on first use. Equal fields, such as
//! `path` and `limit` of many operations, share one constant to shorten the author's build.

use std::collections::HashMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use toolwrit_manifest::{Field, IntegerFormat, Model, Pattern, Presence, Shape};

use super::{json, usage};
use crate::names;

/// Writes field tables and collects the constants and patterns that they use.
pub(super) struct Fields<'a> {
    model: &'a Model,
    /// The fields written so far, by name.
    known: HashMap<String, Vec<(Field, Ident)>>,
    constants: Vec<TokenStream>,
    patterns: Vec<TokenStream>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self { model, known: HashMap::new(), constants: Vec::new(), patterns: Vec::new() }
    }

    /// The tables of the declared types that arguments use.
    pub(super) fn declared(&mut self) -> TokenStream {
        let model = self.model;
        let used = model.types.iter().zip(usage::of_types(model)).filter(|(_, usage)| usage.input);
        let statics: Vec<_> = used
            .map(|(declared, _)| {
                let name = names::type_table(declared);
                let table = self.shape(&declared.shape);
                quote!(static #name: Type = #table;)
            })
            .collect();
        quote!(#(#statics)*)
    }

    /// The constants and patterns of the tables written so far.
    pub(super) fn mentioned(self) -> TokenStream {
        let Self { constants, patterns, .. } = self;
        quote!(#(#constants)* #(#patterns)*)
    }

    /// A table of fields, in order.
    pub(super) fn table(&mut self, fields: &[Field]) -> TokenStream {
        let fields = fields.iter().map(|field| self.field(field));
        let fields: Vec<_> = fields.collect();
        quote!(&[#(#fields),*])
    }

    /// The constant of a field.
    fn field(&mut self, field: &Field) -> Ident {
        let known = self.known.get(&field.name).into_iter().flatten();
        if let Some((_, constant)) = known.into_iter().find(|(other, _)| other == field) {
            return constant.clone();
        }
        let row = self.row(field);
        let constant = format_ident!("FIELD_{}", self.constants.len());
        self.constants.push(quote!(const #constant: Field = #row;));
        let known = self.known.entry(field.name.clone()).or_default();
        known.push((field.clone(), constant.clone()));
        constant
    }

    fn row(&mut self, field: &Field) -> TokenStream {
        let name = &field.name;
        let ty = self.reference(&field.shape);
        let (presence, base) = match &field.presence {
            Presence::Required => (None, quote!(REQUIRED)),
            Presence::Optional => (None, quote!(OPTIONAL)),
            Presence::Default(value) => {
                let value = json(value);
                (Some(quote!(presence: Presence::Default(#value),)), quote!(OPTIONAL))
            }
        };
        let description = self.model.description_of(field);
        let description = description.map(|text| quote!(description: #text,));
        let values = self.model.described_values(&field.shape).into_iter();
        let values: Vec<_> = values.map(|(name, text)| quote!((#name, #text))).collect();
        let values = (!values.is_empty()).then(|| quote!(values: &[#(#values),*],));
        let sensitive = self.model.is_sensitive(field).then(|| quote!(sensitive: true,));
        quote! {
            Field { name: #name, ty: #ty, #presence #description #values #sensitive ..Field::#base }
        }
    }

    /// A reference to the table of a shape.
    fn reference(&mut self, shape: &Shape) -> TokenStream {
        if let Shape::Named(id) = shape {
            let table = names::type_table(&self.model[*id]);
            return quote!(&#table);
        }
        let table = self.shape(shape);
        quote!(&#table)
    }

    fn shape(&mut self, shape: &Shape) -> TokenStream {
        let ty = self.variant(shape);
        quote!(Type::#ty)
    }

    fn variant(&mut self, shape: &Shape) -> TokenStream {
        match self.model.resolve(shape) {
            Shape::String { min_length: None, max_length: None, pattern: None } => quote!(STRING),
            Shape::String { min_length, max_length, pattern } => {
                let min = min_length.unwrap_or(0);
                let max = max_length.unwrap_or(u64::MAX);
                let pattern = option(pattern.as_ref().map(|pattern| {
                    let name = self.pattern(pattern);
                    quote!(&#name)
                }));
                quote!(String { min: #min, max: #max, pattern: #pattern })
            }
            Shape::Integer { format: IntegerFormat::I64, min: None, max: None } => quote!(INTEGER),
            Shape::Integer { format, min, max } => {
                let (lowest, highest) = format.range();
                let (min, max) = (min.unwrap_or(lowest), max.unwrap_or(highest));
                if *format == IntegerFormat::U64 {
                    let (min, max) = (bound::<u64>(min), bound::<u64>(max));
                    quote!(Unsigned { min: #min, max: #max })
                } else {
                    let (min, max) = (bound::<i64>(min), bound::<i64>(max));
                    quote!(Integer { min: #min, max: #max })
                }
            }
            Shape::Number { min: None, max: None } => quote!(NUMBER),
            Shape::Number { min, max } => {
                let (min, max) = (min.unwrap_or(f64::MIN), max.unwrap_or(f64::MAX));
                quote!(Number { min: #min, max: #max })
            }
            Shape::Boolean => quote!(Boolean),
            Shape::Date => quote!(Date),
            Shape::DateTime => quote!(DateTime),
            Shape::Json => quote!(Json),
            Shape::Enum(values) => {
                let names = values.iter().map(|value| &value.name);
                quote!(Enum(&[#(#names),*]))
            }
            Shape::Array { items, min_items, max_items } => {
                let items = self.reference(items);
                let min = min_items.unwrap_or(0);
                let max = max_items.unwrap_or(u64::MAX);
                quote!(Array { items: #items, min: #min, max: #max })
            }
            Shape::Map(values) => {
                let values = self.reference(values);
                quote!(Map(#values))
            }
            Shape::Record(fields) => {
                let fields = self.table(fields);
                quote!(Record(#fields))
            }
            Shape::Named(_) => unreachable!("resolved above"),
        }
    }

    fn pattern(&mut self, pattern: &Pattern) -> Ident {
        let name = format_ident!("PATTERN_{}", self.patterns.len());
        let source = pattern.as_str();
        self.patterns.push(quote! {
            static #name: Pattern =
                Pattern::new(#source);
        });
        name
    }
}

/// A bound of an integer in the type of its format.
fn bound<T: TryFrom<i128>>(bound: i128) -> T {
    T::try_from(bound).unwrap_or_else(|_| unreachable!("the load has checked the bounds"))
}

/// `Some(..)` or `None`.
pub(super) fn option(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(|| quote!(None), |value| quote!(Some(#value)))
}
