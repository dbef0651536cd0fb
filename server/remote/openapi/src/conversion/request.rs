//! The request of an operation, and how it is written.

use std::mem::take;

use serde_json::Value;

use crate::language::names::Names;
use crate::language::shape::{Declarations, Field, Shape};
use crate::language::yaml::{Mapping, Yaml};
use crate::losses::{Kind, Losses};

/// Some clients drop larger input schemas; an estimate, and so below the limit of the language.
const MOST_BYTES: usize = 13_000;

/// Where the value of a parameter stands in a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ParameterLocation {
    Path {
        /// What stands before the value.
        prefix: String,
        /// Whether it may have several segments.
        is_long: bool,
    },
    Header,
    Query {
        list: Option<&'static str>,
        /// Whether the fields of an object are parameters of their own.
        spreads: bool,
    },
    Form {
        list: Option<&'static str>,
    },
    /// A field of a JSON body.
    Json,
    /// The whole body, under this key of the binding.
    Whole(&'static str),
    /// The whole body, as Base64.
    Bytes {
        media_type: String,
    },
    /// A field of a multipart form.
    Part,
    /// A file of a multipart form, as Base64, and the parameter with its name.
    File {
        file_name: String,
        media_type: Option<String>,
    },
    /// What another parameter refers to.
    Beside,
}

/// A parameter, and where its value stands.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) field: Field,
    pub(crate) location: ParameterLocation,
    pub(crate) pointer: String,
}

/// What an operation sends.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) parameters: Vec<Parameter>,
    /// Parameters of the query that are always the same.
    pub(crate) query: Vec<(String, String)>,
    /// Fields of the body that are always the same.
    pub(crate) constants: Vec<(String, Value)>,
    /// Whether the body is an object, also if all its fields are absent.
    pub(crate) has_json: bool,
    /// The media type of the body, if it is not the usual one of JSON or text.
    pub(crate) media_type: Option<String>,
    /// The media type to ask for, if it is not the usual one.
    pub(crate) accept: Option<String>,
    pub(crate) names: Names,
}

impl Request {
    /// The fields of the parameters, the required ones first.
    pub(crate) fn fields(&self) -> Vec<Field> {
        let mut fields: Vec<Field> =
            self.parameters.iter().map(|parameter| parameter.field.clone()).collect();
        fields.sort_by_key(|field| !field.is_required);
        fields
    }

    /// Makes the schema of the parameters small enough for every client.
    pub(crate) fn shrink(&mut self, types: &Declarations, losses: &mut Losses) {
        const SHORT: usize = 60;
        let is_large = |parameters: &[Parameter]| {
            let fields: Vec<Field> =
                parameters.iter().map(|parameter| parameter.field.clone()).collect();
            types.estimate_fields_size(&fields).0 > MOST_BYTES
        };
        if is_large(&self.parameters) {
            for Parameter { field, pointer, .. } in &mut self.parameters {
                let text = field.description.as_deref().unwrap_or_default();
                if text.len() > SHORT {
                    losses.add(
                        Kind::Text,
                        pointer,
                        "the description is shortened: the operation has too many parameters",
                    );
                    field.description = crate::language::text::shorten_description(text, SHORT);
                }
            }
        }
        while is_large(&self.parameters) {
            let size = |parameter: &&mut Parameter| types.estimate_size(&parameter.field.shape).0;
            let structured = self
                .parameters
                .iter_mut()
                .filter(|parameter| parameter.field.shape.declared_type().is_some());
            let Some(largest) =
                structured.max_by_key(size).filter(|parameter| size(parameter) > 300)
            else {
                break;
            };
            losses.add(Kind::Parameter, &largest.pointer, "too large for the operation: any value");
            let is_body =
                matches!(largest.location, ParameterLocation::Json | ParameterLocation::Whole(_));
            largest.field.shape = if is_body { Shape::Json } else { Shape::text() };
        }
        while is_large(&self.parameters) {
            let Some(last) =
                self.parameters.iter().rposition(|parameter| !parameter.field.is_required)
            else {
                return;
            };
            let left_out = self.parameters.remove(last);
            losses.add(
                Kind::Parameter,
                &left_out.pointer,
                "left out: the operation has too many parameters",
            );
        }
    }

    /// The binding, without pages and results.
    pub(crate) fn write_binding(&self, types: &Declarations, losses: &mut Losses) -> Mapping {
        let mut binding = Mapping::default();
        binding.add(self.method, self.path.as_str());
        let (mut query, mut form) = (Pairs::new(types), Pairs::new(types));
        let constants = self.query.iter();
        constants.for_each(|(name, value)| {
            query.written.add(template_key(name, false), escape_literal(value));
        });
        let mut headers = Mapping::default();
        let mut multipart = Mapping::default();
        let mut json = Mapping::default();
        self.constants
            .iter()
            .for_each(|(name, value)| json.add(template_key(name, false), constant_value(value)));
        let mut whole = Mapping::default();
        for Parameter { field, location, pointer } in &self.parameters {
            let is_optional = !field.is_required && field.default.is_none();
            let (name, reference) =
                (template_key(&field.original, is_optional), format!("${}", field.name));
            match location {
                ParameterLocation::Path { .. } | ParameterLocation::Beside => {}
                ParameterLocation::Header => headers.add(name, reference),
                ParameterLocation::Query { list, spreads: true }
                    if types.fields(&field.shape).is_some() =>
                {
                    query.add_spread(field, &reference, is_optional, *list);
                }
                ParameterLocation::Query { list, .. } => {
                    let pair = (field.original.as_str(), reference.as_str());
                    query.add_flat(&field.shape, pair, is_optional, *list);
                }
                ParameterLocation::Form { list } => {
                    let pair = (field.original.as_str(), reference.as_str());
                    form.add_flat(&field.shape, pair, is_optional, *list);
                }
                ParameterLocation::Json => {
                    json.add(name, nest_value(types, &field.shape, &reference));
                }
                ParameterLocation::Whole(kind) => {
                    whole.add(*kind, nest_value(types, &field.shape, &reference));
                }
                ParameterLocation::Bytes { media_type } => {
                    let mut bytes = Mapping::default();
                    bytes.add("content", reference);
                    bytes.add("media_type", media_type.as_str());
                    whole.add("bytes", bytes);
                }
                ParameterLocation::Part => multipart.add(name, reference),
                ParameterLocation::File { file_name, media_type } => {
                    let mut file = Mapping::default();
                    file.add("content", reference);
                    file.add(template_key("file_name", true), format!("${file_name}"));
                    if let Some(media_type) = media_type {
                        file.add("media_type", media_type.as_str());
                    }
                    multipart.add(name, file);
                }
            }
            if [&mut query, &mut form].into_iter().any(|pairs| take(&mut pairs.has_lost)) {
                losses.add(Kind::Parameter, pointer, "another one has its name: left out");
            }
        }
        if let Some(accept) = self.accept.as_deref().filter(|_| !headers.has("Accept")) {
            headers.add("Accept", accept);
        }
        let parts = [
            ("query", query.written),
            ("headers", headers),
            ("form", form.written),
            ("multipart", multipart),
        ];
        for (name, part) in parts.into_iter().filter(|(_, part)| !part.is_empty()) {
            binding.add(name, part);
        }
        if self.has_json {
            whole.add("json", json);
        }
        match self.media_type.as_deref().filter(|_| !whole.is_empty()) {
            None => binding.extend(whole),
            Some(media_type) => {
                let mut body = Mapping::default();
                body.add("type", media_type);
                body.extend(whole);
                binding.add("body", body);
            }
        }
        binding
    }
}

/// The key of a template. A `?` at the end makes it optional, and cannot be part of a name that is not.
fn template_key(name: &str, is_optional: bool) -> String {
    let end = if is_optional || name.ends_with('?') { "?" } else { "" };
    format!("{name}{end}")
}

/// A text that is no reference.
fn escape_literal(text: &str) -> String {
    if text.starts_with('$') { format!("${text}") } else { text.to_owned() }
}

fn constant_value(value: &Value) -> Yaml {
    match value {
        Value::String(text) => escape_literal(text).into(),
        other => other.into(),
    }
}

/// A value of JSON: the parameter itself, or an object of its fields if they have other names in the API.
fn nest_value(types: &Declarations, shape: &Shape, reference: &str) -> Yaml {
    match types.fields(shape) {
        Some(fields) if !types.is_verbatim(shape) => {
            let mut object = Mapping::default();
            for field in fields {
                let inner = nest_value(types, &field.shape, &format!("{reference}.{}", field.name));
                object.add(template_key(&field.original, !field.is_required), inner);
            }
            object.into()
        }
        _ => reference.into(),
    }
}

/// The parameters of a query or a form.
struct Pairs<'a> {
    types: &'a Declarations,
    written: Mapping,
    /// Whether one was left out because another has its name.
    has_lost: bool,
}

impl<'a> Pairs<'a> {
    fn new(types: &'a Declarations) -> Self {
        Self { types, written: Mapping::default(), has_lost: false }
    }

    /// Adds one for each field of an object, under the name of the field.
    fn add_spread(
        &mut self,
        object: &Field,
        reference: &str,
        is_optional: bool,
        list: Option<&str>,
    ) {
        for field in self.types.fields(&object.shape).into_iter().flatten() {
            let reference = format!("{reference}.{}", field.name);
            let is_optional = is_optional || !field.is_required;
            self.add_flat(&field.shape, (&field.original, &reference), is_optional, list);
        }
    }

    /// Adds one, given its name and what it refers to, or one for each field of an object, as `name[field]`.
    fn add_flat(
        &mut self,
        shape: &Shape,
        (name, reference): (&str, &str),
        is_optional: bool,
        list: Option<&str>,
    ) {
        if let Some(fields) = self.types.fields(shape) {
            for field in fields {
                let name = format!("{name}[{}]", field.original);
                let reference = format!("{reference}.{}", field.name);
                let is_optional = is_optional || !field.is_required;
                self.add_flat(&field.shape, (&name, &reference), is_optional, list);
            }
            return;
        }
        // Two parameters may have the same name once one of them is split.
        if self.written.has(&template_key(name, true))
            || self.written.has(&template_key(name, false))
        {
            self.has_lost = true;
            return;
        }
        match list.filter(|_| matches!(shape, Shape::Array { .. })) {
            Some(style) => {
                let mut value = Mapping::default();
                value.add("value", reference);
                value.add("style", style);
                self.written.add(template_key(name, is_optional), value);
            }
            None => self.written.add(template_key(name, is_optional), reference),
        }
    }
}

/// Whether a value can be parameters of a query or a form.
pub(crate) fn is_flat(types: &Declarations, shape: &Shape) -> bool {
    match types.fields(shape) {
        Some(fields) => fields.iter().all(|field| is_flat(types, &field.shape)),
        None => types.is_scalar(shape) || types.is_scalar_list(shape),
    }
}
