//! Bodies of requests.

use std::collections::HashSet;

use serde_json::Value;

use crate::conversion::media::{self, Media};
use crate::conversion::property::{Property, is_name};
use crate::conversion::request::{Parameter, ParameterLocation, Request, is_flat};
use crate::conversion::types::{Direction, Types};
use crate::document::node::Node;
use crate::document::schema::{Schema, Type};
use crate::language::names::{to_camel_case, to_snake_case};
use crate::language::shape::{Field, Shape};
use crate::language::text;
use crate::losses::{Kind, Losses};

const LONGEST_NAME: usize = 48;
const MOST_FIELDS: usize = 100;
/// The example of a parameter with bytes, as Base64.
const BASE64: &str = "aGVsbG8=";
/// The usual name of the only file of a form.
const FILE: &str = "file";
const NAMELESS: &str = "the document does not name the fields: nothing is sent";

/// Reads the body of an operation.
pub(crate) struct BodyReader<'b> {
    pub(crate) types: &'b mut Types,
    pub(crate) losses: &'b mut Losses,
    pub(crate) hint: &'b str,
}

impl BodyReader<'_> {
    /// Adds the body to the request.
    pub(crate) fn read(&mut self, operation: &Node<'_>, request: &mut Request) {
        let Some(raw) = operation.raw("requestBody") else { return };
        let Some(body) = raw.resolve() else {
            self.losses.add(
                Kind::Reference,
                &raw.location(),
                "the reference leads nowhere: no body",
            );
            return;
        };
        if request.method == "get" {
            self.losses.add(Kind::Body, &body.location(), "a GET has no body: left out");
            return;
        }
        let content = body.raw("content");
        let mut kinds: Vec<(Media, &str, Node<'_>)> = content
            .iter()
            .flat_map(Node::entries)
            .map(|(name, node)| (Media::of(name), name, node))
            .collect();
        kinds.sort_by_key(|(kind, name, _)| (*kind, media::rank(name)));
        let others: Vec<String> =
            kinds.iter().skip(1).map(|(_, name, _)| text::to_plain_text(name)).collect();
        let Some((kind, name, node)) = kinds.into_iter().next() else { return };
        if !others.is_empty() {
            let message =
                format!("sent as {}, not as {}", text::to_plain_text(name), others.join(", "));
            self.losses.add(Kind::Body, &body.location(), message);
        }
        let Some(node) = node.resolve() else { return };
        let is_usual = matches!(media::bare(name).as_str(), "application/json" | "text/plain");
        if !is_usual && matches!(kind, Media::Json | Media::Text) {
            request.media_type = media::header_value(name).map(str::to_owned);
        }
        match kind {
            Media::Json => self.read_json(&node, request),
            Media::Form => self.read_form(&node, request),
            Media::Multipart => self.read_multipart(&node, request),
            Media::Text => self.add_text(&node, name, request),
            Media::Bytes => self.add_bytes(&body, name, request),
        }
    }

    /// A body of text, whatever its schema says of what the text means.
    fn add_text(&mut self, media: &Node<'_>, name: &str, request: &mut Request) {
        let schema = media.raw("schema").as_ref().and_then(Schema::read);
        let is_structured = schema.is_some_and(|schema| schema.ty() != Type::String);
        if is_structured && media::bare(name) != "text/plain" {
            let message =
                format!("a body of the type {}: given as text", text::to_plain_text(name));
            self.losses.add(Kind::Body, &media.location(), message);
        }
        let description =
            request.media_type.as_ref().map(|ty| format!("The body, of the type {ty}."));
        let property = Property { shape: Shape::text(), description, ..Property::any() };
        self.add_whole(media, "text", property, request);
    }

    /// The fields of an object are parameters; any other value is one parameter.
    fn read_json(&mut self, media: &Node<'_>, request: &mut Request) {
        let schema = media.raw("schema");
        let object = schema.as_ref().and_then(Schema::read);
        let object =
            object.filter(|schema| schema.ty() == Type::Object && !schema.properties().is_empty());
        if let Some(object) = object {
            if object.has_heirs() {
                let message = "one of several kinds of objects: the fields of all are optional";
                self.losses.add(Kind::Body, &object.node.location(), message);
            }
            let kinds = object.discriminator().filter(|_| object.has_heirs());
            request.has_json = true;
            for (original, node, is_needed) in self.usable_properties(&object) {
                // A required field that has one value is no choice.
                if let (true, Some(value)) = (is_needed, only_value(&node)) {
                    request.constants.push((original.to_owned(), value));
                    continue;
                }
                let Some(mut property) = self.read_property(original, &node) else { continue };
                if let Some((_, values)) = kinds.as_ref().filter(|(name, _)| *name == original) {
                    property.example = values.first().map(|first| first.as_str().into());
                    let listed = format!("One of: {}.", text::to_plain_text(&values.join(", ")));
                    let texts = property.description.into_iter().chain([listed]);
                    property.description = Some(texts.collect::<Vec<_>>().join(" "));
                }
                let is_nullable = property.is_nullable && property.shape != Shape::Json;
                let mut parameter = new_parameter(original, &node, property, is_needed, request);
                parameter.field.is_nullable = is_nullable;
                self.types.loosen(&mut parameter.field, &node, self.losses);
                request
                    .parameters
                    .push(Parameter { location: ParameterLocation::Json, ..parameter });
            }
            return;
        }
        let hint = format!("{}Body", to_camel_case(self.hint));
        let property = schema
            .map(|schema| self.types.read_property(&schema, Direction::Sent, &hint, self.losses));
        let property = property.unwrap_or_else(Property::any);
        self.add_whole(media, "json", property, request);
    }

    /// The fields of an object, and whether each is required.
    fn usable_properties<'a>(&mut self, schema: &Schema<'a>) -> Vec<(&'a str, Node<'a>, bool)> {
        let required = schema.required();
        let mut kept = Vec::new();
        for (original, node) in schema.properties() {
            if !is_name(original) || kept.len() >= MOST_FIELDS {
                self.losses.add(
                    Kind::Body,
                    &node.location(),
                    "left out: its name cannot be written, or there are too many",
                );
                continue;
            }
            kept.push((original, node, required.contains(original)));
        }
        let described: HashSet<&str> = schema.properties().iter().map(|(name, _)| *name).collect();
        for name in required.difference(&described) {
            let message =
                format!("requires `{}` without saying what it is", text::to_plain_text(name));
            self.losses.add(Kind::Body, &schema.node.location(), message);
        }
        kept
    }

    /// The value of a field; `None` if only answers have it.
    fn read_property(&mut self, original: &str, node: &Node<'_>) -> Option<Property> {
        let hint = format!("{}{}", to_camel_case(self.hint), to_camel_case(original));
        let property = self.types.read_property(node, Direction::Sent, &hint, self.losses);
        (!property.is_hidden).then_some(property)
    }

    fn add_whole(
        &mut self,
        node: &Node<'_>,
        kind: &'static str,
        property: Property,
        request: &mut Request,
    ) {
        let mut parameter = new_parameter("body", node, property, true, request);
        self.types.loosen(&mut parameter.field, node, self.losses);
        parameter.location = ParameterLocation::Whole(kind);
        request.parameters.push(parameter);
    }

    fn add_bytes(&mut self, node: &Node<'_>, media_type: &str, request: &mut Request) {
        // The engine sends no parameters of media types.
        let bare = media_type.split(';').next().unwrap_or_default();
        let media_type = media::header_value(bare).unwrap_or("application/octet-stream");
        let description = Some(format!("The body as Base64, of the type {media_type}."));
        let example = Some(BASE64.into());
        let property = Property { shape: Shape::text(), description, example, ..Property::any() };
        let mut parameter = new_parameter("content", node, property, true, request);
        parameter.location = ParameterLocation::Bytes { media_type: media_type.to_owned() };
        self.losses.add(
            Kind::Body,
            &node.location(),
            format!("a body of the type {media_type}: given as Base64"),
        );
        request.parameters.push(parameter);
    }

    fn read_form(&mut self, media: &Node<'_>, request: &mut Request) {
        let schema = media.raw("schema").as_ref().and_then(Schema::read);
        let encoding = media.get("encoding");
        let properties = schema.map(|schema| self.usable_properties(&schema)).unwrap_or_default();
        if properties.is_empty() {
            self.losses.add(Kind::Body, &media.location(), NAMELESS);
        }
        for (original, node, is_needed) in properties {
            let Some(mut property) = self.read_property(original, &node) else { continue };
            if !is_flat(&self.types.declared, &property.shape) {
                if !is_needed {
                    self.losses.add(
                        Kind::Body,
                        &node.location(),
                        "a form cannot have such a value: left out",
                    );
                    continue;
                }
                self.losses.add(
                    Kind::Body,
                    &node.location(),
                    "a form cannot have such a value: given as text",
                );
                property.shape = Shape::text();
            }
            let style = encoding.as_ref().and_then(|all| all.get(original));
            let list = match style.as_ref().and_then(|style| style.text("style")) {
                Some("deepObject") => Some("brackets"),
                _ => Some("repeat"),
            };
            let parameter = new_parameter(original, &node, property, is_needed, request);
            request
                .parameters
                .push(Parameter { location: ParameterLocation::Form { list }, ..parameter });
        }
    }

    fn read_multipart(&mut self, media: &Node<'_>, request: &mut Request) {
        let schema = media.raw("schema").as_ref().and_then(Schema::read);
        let encoding = media.get("encoding");
        let is_one_file = schema.as_ref().is_some_and(|schema| schema.ty() == Type::String);
        let properties = schema.map(|schema| self.usable_properties(&schema)).unwrap_or_default();
        if is_one_file {
            let message = format!("the document does not name the file: sent as `{FILE}`");
            self.losses.add(Kind::Body, &media.location(), message);
            self.add_file(FILE, media, true, None, request);
        } else if properties.is_empty() {
            self.losses.add(Kind::Body, &media.location(), NAMELESS);
        }
        for (original, node, is_needed) in properties {
            if is_file(&node) {
                let encoding = encoding.as_ref().and_then(|all| all.get(original));
                let media_type = encoding.as_ref().and_then(|one| one.text("contentType"));
                self.add_file(original, &node, is_needed, media_type, request);
                continue;
            }
            let Some(mut property) = self.read_property(original, &node) else { continue };
            let declared = &self.types.declared;
            let is_object = declared.fields(&property.shape).is_some()
                || matches!(property.shape, Shape::Map(_));
            if is_object {
                // A part cannot be built of fields that have other names.
                if !declared.is_verbatim(&property.shape) {
                    property.shape = Shape::any_object();
                }
            } else if !declared.is_scalar(&property.shape) {
                if !is_needed {
                    self.losses.add(
                        Kind::Body,
                        &node.location(),
                        "a part of a form is a text, an object or a file: left out",
                    );
                    continue;
                }
                self.losses.add(
                    Kind::Body,
                    &node.location(),
                    "a part of a form is a text, an object or a file: given as text",
                );
                property.shape = Shape::text();
            }
            let parameter = new_parameter(original, &node, property, is_needed, request);
            request.parameters.push(Parameter { location: ParameterLocation::Part, ..parameter });
        }
    }

    /// A file is two parameters: its content and its name.
    fn add_file(
        &mut self,
        original: &str,
        node: &Node<'_>,
        is_required: bool,
        media_type: Option<&str>,
        request: &mut Request,
    ) {
        if Schema::read(node).is_some_and(|schema| schema.ty() == Type::Array) {
            self.losses.add(Kind::Body, &node.location(), "a list of files: only one is sent");
        }
        let text = |text: &str, example: &str| Property {
            shape: Shape::text(),
            description: Some(text.to_owned()),
            example: Some(example.into()),
            ..Property::any()
        };
        let mut file = new_parameter(
            original,
            node,
            text("The file as Base64.", BASE64),
            is_required,
            request,
        );
        let name = format!("{original}_name");
        let name =
            new_parameter(&name, node, text("The name of the file.", "file.txt"), false, request);
        // A list of types, or a range, leaves the choice to the caller, who has none here.
        let media_type = media_type.and_then(media::header_value).filter(|ty| !ty.contains(';'));
        file.location = ParameterLocation::File {
            file_name: name.field.name.clone(),
            media_type: media_type.map(str::to_owned),
        };
        request.parameters.extend([file, name]);
    }
}

/// A parameter whose location is not known yet.
fn new_parameter(
    original: &str,
    node: &Node<'_>,
    property: Property,
    is_required: bool,
    request: &mut Request,
) -> Parameter {
    let field = Field {
        name: request.names.claim(&to_snake_case(original, "field", LONGEST_NAME), "_"),
        original: original.to_owned(),
        shape: property.shape,
        is_required,
        description: property.description,
        default: None,
        example: property.example,
        is_sensitive: property.is_sensitive,
        is_nullable: false,
    };
    Parameter { field, location: ParameterLocation::Beside, pointer: node.location() }
}

/// The only value of a field, if it is a text, a number or a boolean.
fn only_value(node: &Node<'_>) -> Option<Value> {
    let values = Schema::read(node)?.values()?;
    let [only] = values[..] else { return None };
    match only {
        Value::String(text) if !text::is_visible(text) || text.len() > 200 => None,
        Value::Array(_) | Value::Object(_) => None,
        value => Some(value.clone()),
    }
}

/// Whether a part is a file, or a list of files.
fn is_file(node: &Node<'_>) -> bool {
    let Some(schema) = Schema::read(node) else { return false };
    let is_binary = |schema: &Schema<'_>| {
        matches!(schema.text("format"), Some("binary" | "byte"))
            || schema.text("type") == Some("file")
            || schema.find("contentMediaType").is_some()
    };
    is_binary(&schema)
        || (schema.ty() == Type::Array
            && schema
                .child("items")
                .as_ref()
                .and_then(Schema::read)
                .is_some_and(|items| is_binary(&items)))
}
