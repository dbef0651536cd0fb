//! Parameters in paths, queries and headers.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use toolwrit_words::headers::is_set_by_engine;

use crate::conversion::property::{Property, is_name};
use crate::conversion::request::{Parameter, ParameterLocation, Request, is_flat};
use crate::conversion::types::{Direction, Types};
use crate::document::node::Node;
use crate::language::names::{Names, to_camel_case, to_snake_case};
use crate::language::shape::{Declarations, Field, Shape};
use crate::language::text;
use crate::losses::{Kind, Losses};

const LONGEST_NAME: usize = 48;
const LONGEST_DESCRIPTION: usize = 160;

/// Whether a header can have this name.
pub(crate) fn is_header(name: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(is_token)
}

/// What reads the parameters of an operation.
pub(crate) struct ParameterReader<'a, 'b> {
    pub(crate) types: &'b mut Types,
    pub(crate) losses: &'b mut Losses,
    /// The name of the operation, for types that have none.
    pub(crate) hint: &'b str,
    /// Names in queries or headers under which the engine sends credentials.
    pub(crate) credentials: &'a [&'a str],
}

impl ParameterReader<'_, '_> {
    /// The request without its body; `None` if its path cannot be written.
    pub(crate) fn read_request(
        &mut self,
        method: &'static str,
        path: &str,
        item: &Node<'_>,
        operation: &Node<'_>,
    ) -> Option<Request> {
        let mut request = Request {
            method,
            path: String::new(),
            parameters: Vec::new(),
            query: Vec::new(),
            constants: Vec::new(),
            has_json: false,
            media_type: None,
            accept: None,
            // Parameters that the engine adds.
            names: Names::from_taken(&["confirm", "dry_run"]),
        };
        let mut found: Vec<Node<'_>> = Vec::new();
        for owner in [item, operation] {
            for parameter in owner.raw("parameters").iter().flat_map(Node::items) {
                let Some(parameter) = parameter.resolve() else {
                    let message = "the reference leads nowhere: left out";
                    self.losses.add(Kind::Reference, &parameter.location(), message);
                    continue;
                };
                if parameter.value.is_null() {
                    continue;
                }
                let id = |node: &Node<'_>| {
                    (node.text("in").map(str::to_owned), node.text("name").map(str::to_owned))
                };
                found.retain(|other| id(other) != id(&parameter));
                found.push(parameter);
            }
        }
        for parameter in &found {
            self.read_parameter(parameter, &mut request);
        }
        self.write_path(path, operation, &mut request)?;
        Some(request)
    }

    fn read_parameter(&mut self, node: &Node<'_>, request: &mut Request) {
        let (Some(name), Some(location)) = (node.text("name"), node.text("in")) else {
            self.losses.add(
                Kind::Parameter,
                &node.location(),
                "without a name or a place: left out",
            );
            return;
        };
        if !is_name(name) {
            self.losses.add(
                Kind::Parameter,
                &node.location(),
                "its name cannot be written: left out",
            );
            return;
        }
        if self.credentials.iter().any(|credential| credential.eq_ignore_ascii_case(name))
            && location != "path"
        {
            return;
        }
        match location {
            "path" => {
                let is_long = ["x-multi-segment", "allowReserved"]
                    .iter()
                    .any(|key| node.flag(key) == Some(true));
                let path = ParameterLocation::Path { prefix: path_prefix(node, name), is_long };
                self.add_parameter(node, name, path, request);
            }
            "query" => {
                let (list, spreads) = (list_style(node, name), is_exploded(node));
                self.add_parameter(node, name, ParameterLocation::Query { list, spreads }, request);
            }
            "header" => {
                if is_set_by_engine(name) || name.eq_ignore_ascii_case("accept") {
                    // OpenAPI, too, says that such parameters have no effect.
                } else if is_header(name) {
                    self.add_parameter(node, name, ParameterLocation::Header, request);
                } else {
                    self.losses.add(
                        Kind::Parameter,
                        &node.location(),
                        "not the name of a header: left out",
                    );
                }
            }
            other => {
                let message = format!(
                    "parameters in `{}` are not sent: left out",
                    text::to_plain_text(other)
                );
                self.losses.add(Kind::Parameter, &node.location(), message);
            }
        }
    }

    fn add_parameter(
        &mut self,
        node: &Node<'_>,
        name: &str,
        location: ParameterLocation,
        request: &mut Request,
    ) {
        let hint = format!("{}{}", to_camel_case(self.hint), to_camel_case(name));
        // Swagger describes the values in the parameter itself.
        let schema = node.raw("schema").or_else(|| node.has("type").then(|| node.clone()));
        let property = schema
            .map(|schema| self.types.read_property(&schema, Direction::Sent, &hint, self.losses));
        let mut property = property.unwrap_or_else(Property::text);
        if node.has("content") {
            self.losses.add(Kind::Parameter, &node.location(), "a structured value: given as text");
        }
        let declared = &self.types.declared;
        let fits = match location {
            ParameterLocation::Query { .. } => is_flat(declared, &property.shape),
            ParameterLocation::Path { is_long: false, .. } => {
                declared.is_scalar(&property.shape) || declared.is_scalar_list(&property.shape)
            }
            _ => declared.is_scalar(&property.shape),
        };
        if !fits {
            if property.shape != Shape::Json {
                let message = "the type cannot be sent in this place: given as text";
                self.losses.add(Kind::Parameter, &node.location(), message);
            }
            property.shape = Shape::text();
        }
        if let ParameterLocation::Query { .. } = location
            && let Some(message) = changed_delimiters(declared, node, &property.shape)
        {
            self.losses.add(Kind::Parameter, &node.location(), message);
        }
        let first = node.raw("examples").and_then(|list| list.entries().next().map(|(_, one)| one));
        let named =
            first.and_then(|one| one.resolve()).and_then(|one| one.value.get("value").cloned());
        let examples = [node.value.get("example").cloned(), named, property.example];
        let example =
            examples.into_iter().flatten().find(|value| declared.fits(&property.shape, value));
        let description = node.text("description");
        if description.is_some_and(|text| text::is_longer(text, LONGEST_DESCRIPTION)) {
            self.losses.add(Kind::Text, &node.location(), text::SHORTENED);
        }
        let description =
            description.and_then(|text| text::shorten_description(text, LONGEST_DESCRIPTION));
        let is_read = request.method == "get";
        let default = property
            .default
            .filter(|value| is_read && declared.fits(&property.shape, value) && is_plain(value));
        let is_in_path = matches!(location, ParameterLocation::Path { .. });
        let is_joined = matches!(property.shape, Shape::Array { .. });
        if is_in_path && is_joined && node.flag("explode") == Some(true) && node.has("style") {
            let message = "the items of the list are joined by commas";
            self.losses.add(Kind::Parameter, &node.location(), message);
        }
        let is_required = is_in_path || node.flag("required") == Some(true);
        request.parameters.push(Parameter {
            field: Field {
                name: request.names.claim(&to_snake_case(name, "parameter", LONGEST_NAME), "_"),
                original: name.to_owned(),
                is_required,
                description: merge_descriptions(description, property.description, &property.shape),
                default: default.filter(|_| !is_required && declared.is_scalar(&property.shape)),
                example,
                is_sensitive: property.is_sensitive,
                is_nullable: false,
                shape: property.shape,
            },
            location,
            pointer: node.location(),
        });
    }

    /// Writes the path with the names of the parameters.
    fn write_path(
        &mut self,
        path: &str,
        operation: &Node<'_>,
        request: &mut Request,
    ) -> Option<()> {
        let pointer = operation.location();
        let (path, fragment) =
            path.split_once('#').map_or((path, None), |(path, rest)| (path, Some(rest)));
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        if fragment.is_some() {
            self.losses.add(Kind::Operation, &pointer, "the fragment of its path is not sent");
        }
        let mut written = String::new();
        let mut rest = path;
        let mut used = Vec::new();
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inner, after)) = after.split_once('}') else {
                self.losses.add(
                    Kind::Operation,
                    &pointer,
                    "left out: a `{` of its path has no `}`",
                );
                return None;
            };
            // Some documents mark a value of several segments as URI templates do, others as routers do.
            let bare = inner.trim_start_matches('+').trim_end_matches(['+', '*']);
            let known = |parameter: &&Parameter| {
                matches!(parameter.location, ParameterLocation::Path { .. })
                    && [inner, bare].contains(&parameter.field.original.as_str())
            };
            let at = match request.parameters.iter().position(|parameter| known(&parameter)) {
                Some(at) => at,
                None => declare_path_parameter(bare, request, operation),
            };
            let parameter = &request.parameters[at];
            let ParameterLocation::Path { prefix, is_long } = &parameter.location else {
                return None;
            };
            let mark = if *is_long || bare != inner { "+" } else { "" };
            let name = parameter.field.name.clone();
            written.push_str(before);
            written.extend([prefix, "{", mark, &name, "}"]);
            used.push(name);
            rest = after;
        }
        written.push_str(rest);
        let is_bad = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '}');
        let literal = |part: &str| !text::is_visible(part) || part.contains(is_bad);
        let has_dots = written.split('/').any(|segment| matches!(segment, "." | ".."));
        if !written.starts_with('/')
            || has_dots
            || literal(path.replace(['{', '}'], "").as_str())
            || rest.contains('}')
        {
            self.losses.add(Kind::Operation, &pointer, "left out: its path cannot be written");
            return None;
        }
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if request.query.iter().any(|(other, _)| other == name) {
                let message = format!("`{name}` of its path is sent once");
                self.losses.add(Kind::Parameter, &pointer, message);
            } else if is_name(name) && text::is_visible(value) && !value.contains(['{', '}']) {
                request.query.push((name.to_owned(), value.to_owned()));
            } else {
                self.losses.add(
                    Kind::Parameter,
                    &pointer,
                    format!("`{name}` of its path is not sent"),
                );
            }
        }
        let constants: Vec<String> = request.query.iter().map(|(name, _)| name.clone()).collect();
        request.parameters.retain(|parameter| match parameter.location {
            ParameterLocation::Path { .. } => used.contains(&parameter.field.name),
            ParameterLocation::Query { .. } => !constants.contains(&parameter.field.original),
            _ => true,
        });
        request.path = written;
        Some(())
    }
}

impl Property {
    /// A text of which nothing else is known.
    fn text() -> Self {
        Self { shape: Shape::text(), ..Self::any() }
    }
}

/// What stands before a value in a path, besides the path itself.
fn path_prefix(node: &Node<'_>, name: &str) -> String {
    match node.text("style") {
        Some("label") => ".".to_owned(),
        Some("matrix") => {
            let name = utf8_percent_encode(name, NON_ALPHANUMERIC).to_string();
            format!(";{}=", name.replace("%5F", "_").replace("%2D", "-"))
        }
        _ => String::new(),
    }
}

/// A variable of a path for which no parameter is declared; returns its position.
fn declare_path_parameter(inner: &str, request: &mut Request, operation: &Node<'_>) -> usize {
    let name = request.names.claim(&to_snake_case(inner, "part", LONGEST_NAME), "_");
    request.parameters.push(Parameter {
        field: Field {
            name,
            original: inner.to_owned(),
            shape: Shape::text(),
            is_required: true,
            description: None,
            default: None,
            example: None,
            is_sensitive: false,
            is_nullable: false,
        },
        location: ParameterLocation::Path { prefix: String::new(), is_long: false },
        pointer: operation.location(),
    });
    request.parameters.len() - 1
}

/// How a list stands in a query, unless it is joined by comma.
fn list_style(node: &Node<'_>, name: &str) -> Option<&'static str> {
    match node.text("style") {
        Some("deepObject") => Some("brackets"),
        _ if is_exploded(node) => Some("repeat"),
        Some("spaceDelimited" | "pipeDelimited") if node.flag("explode") == Some(true) => {
            Some("repeat")
        }
        _ if name.ends_with("[]") => Some("repeat"),
        _ => None,
    }
}

/// How a list or an object in a query is sent, if the document wants it otherwise.
fn changed_delimiters(types: &Declarations, node: &Node<'_>, shape: &Shape) -> Option<String> {
    let style = node.text("style").unwrap_or("form");
    let is_list = matches!(shape, Shape::Array { .. });
    let message = match (style, types.fields(shape)) {
        ("spaceDelimited" | "pipeDelimited", None)
            if is_list && node.flag("explode") != Some(true) =>
        {
            "the items of the list are joined by commas"
        }
        ("deepObject", _) | (_, None) => return None,
        _ if is_exploded(node) => return None,
        _ => "the fields of the object are sent as `name[field]`",
    };
    Some(format!("the style `{}`: {message}", text::to_plain_text(style)))
}

/// Whether each item of a list and each field of an object is a parameter of its own.
fn is_exploded(node: &Node<'_>) -> bool {
    matches!(node.text("style"), None | Some("form")) && node.flag("explode") != Some(false)
}

/// The description of a parameter, or that of its schema, which alone knows the values.
fn merge_descriptions(
    description: Option<String>,
    of_schema: Option<String>,
    shape: &Shape,
) -> Option<String> {
    match (description, of_schema) {
        (Some(description), Some(other))
            if !matches!(shape, Shape::Enum(_)) && !description.contains("One of") =>
        {
            let values = other.find("One of: ").map(|at| &other[at..]);
            Some(values.map_or(description.clone(), |values| format!("{description} {values}")))
        }
        (description, other) => description.or(other),
    }
}

fn is_plain(value: &Value) -> bool {
    const LONGEST: usize = 100;
    match value {
        Value::String(text) => text.len() <= LONGEST && text::is_visible(text),
        Value::Number(_) | Value::Bool(_) => true,
        _ => false,
    }
}
