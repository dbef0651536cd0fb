//! From Swagger 2.0 to `OpenAPI` 3.0, at the places that differ. Schemas stay where they are, and references lead where
//! they led, so that the list of losses names the places of the document.

use serde_json::{Map, Value, json};

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];
/// What describes the values of a parameter itself rather than in a schema.
const SCHEMA_KEYS: [&str; 16] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
];

/// Whether a document is Swagger 2.0.
pub(crate) fn is_swagger(document: &Value) -> bool {
    match document.get("swagger") {
        Some(Value::String(version)) => version.starts_with('2'),
        Some(Value::Number(version)) => version.as_f64() == Some(2.0),
        _ => false,
    }
}

/// Converts a document.
pub(crate) fn convert(document: &mut Value) {
    let original = document.clone();
    let Some(root) = document.as_object_mut() else { return };
    root.insert("openapi".to_owned(), "3.0.3".into());
    root.insert("servers".to_owned(), servers(&original));
    root.insert("components".to_owned(), json!({ "securitySchemes": security_schemes(&original) }));
    for item in members(root, "paths") {
        convert_item(item, &original);
    }
    for parameter in members(root, "parameters") {
        convert_parameter(parameter);
    }
    let produces = media_types(&original, &original, "produces");
    for response in members(root, "responses") {
        convert_response(response, &produces);
    }
    for schema in members(root, "definitions") {
        convert_schema(schema);
    }
}

/// The values of an object within another one.
fn members<'a>(
    owner: &'a mut Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'a mut Value> {
    owner.get_mut(key).and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
}

fn servers(document: &Value) -> Value {
    let text = |key: &str| document.get(key).and_then(Value::as_str);
    let path = text("basePath").unwrap_or_default().trim_end_matches('/');
    let Some(host) = text("host") else { return json!([{ "url": path }]) };
    let schemes = document.get("schemes").and_then(Value::as_array);
    let mut schemes: Vec<&str> = schemes.into_iter().flatten().filter_map(Value::as_str).collect();
    schemes.retain(|scheme| matches!(*scheme, "https" | "http"));
    // The encrypted one first; without a word about it, that is the usual one, too.
    schemes.sort_by_key(|scheme| *scheme != "https");
    if schemes.is_empty() {
        schemes.push("https");
    }
    schemes.into_iter().map(|scheme| json!({ "url": format!("{scheme}://{host}{path}") })).collect()
}

fn security_schemes(document: &Value) -> Value {
    let schemes = document.get("securityDefinitions").and_then(Value::as_object);
    let converted = schemes.into_iter().flatten().map(|(name, scheme)| {
        let text = |key: &str| scheme.get(key).cloned().unwrap_or_default();
        let scheme = match scheme.get("type").and_then(Value::as_str) {
            Some("basic") => json!({ "type": "http", "scheme": "basic" }),
            Some("oauth2") => {
                let flow = match scheme.get("flow").and_then(Value::as_str) {
                    Some("application") => "clientCredentials",
                    Some("accessCode") => "authorizationCode",
                    Some(other) => other,
                    None => "implicit",
                };
                let urls = json!({
                    "authorizationUrl": text("authorizationUrl"),
                    "tokenUrl": text("tokenUrl"),
                    "scopes": text("scopes"),
                });
                json!({ "type": "oauth2", "flows": { flow: urls } })
            }
            _ => scheme.clone(),
        };
        (name.clone(), scheme)
    });
    Value::Object(converted.collect())
}

fn convert_item(item: &mut Value, root: &Value) {
    let Some(item) = item.as_object_mut() else { return };
    let shared = take_bodies(item.get_mut("parameters"), root);
    for method in METHODS {
        let Some(operation) = item.get_mut(method) else { continue };
        let mut bodies = shared.clone();
        bodies.extend(take_bodies(operation.get_mut("parameters"), root));
        let (consumes, produces) =
            (media_types(operation, root, "consumes"), media_types(operation, root, "produces"));
        let Some(operation) = operation.as_object_mut() else { continue };
        if let Some(body) = request_body(bodies, &consumes) {
            operation.insert("requestBody".to_owned(), body);
        }
        for response in members(operation, "responses") {
            convert_response(response, &produces);
        }
    }
}

/// The media types of an operation, or else those of the document.
fn media_types(owner: &Value, root: &Value, key: &str) -> Vec<String> {
    let list = owner.get(key).or_else(|| root.get(key)).and_then(Value::as_array);
    let types: Vec<String> =
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    if types.is_empty() { vec!["application/json".to_owned()] } else { types }
}

/// Converts the parameters of a list, and takes those that are parts of the body. Null stays in their place, so that the
/// others keep their positions.
fn take_bodies(parameters: Option<&mut Value>, root: &Value) -> Vec<Value> {
    let mut bodies = Vec::new();
    for parameter in parameters.and_then(Value::as_array_mut).into_iter().flatten() {
        let pointer =
            parameter.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
        let target = pointer.and_then(|pointer| root.pointer(pointer)).unwrap_or(parameter);
        if matches!(target.get("in").and_then(Value::as_str), Some("body" | "formData")) {
            bodies.push(target.clone());
            *parameter = Value::Null;
        } else {
            convert_parameter(parameter);
        }
    }
    bodies
}

/// Moves what describes the values of a parameter into a schema.
fn convert_parameter(parameter: &mut Value) {
    let Some(object) = parameter.as_object_mut() else { return };
    if object.contains_key("schema") || !object.contains_key("type") {
        return;
    }
    let (style, explode) = match object.get("collectionFormat").and_then(Value::as_str) {
        Some("multi") => ("form", true),
        Some("ssv") => ("spaceDelimited", false),
        Some("pipes") => ("pipeDelimited", false),
        _ => ("form", false),
    };
    let is_list = object.get("type").and_then(Value::as_str) == Some("array");
    if is_list && object.get("in").and_then(Value::as_str) == Some("query") {
        object.insert("style".to_owned(), style.into());
        object.insert("explode".to_owned(), explode.into());
    }
    let schema = take_schema(object);
    object.insert("schema".to_owned(), schema);
}

fn take_schema(object: &mut Map<String, Value>) -> Value {
    let keys = SCHEMA_KEYS.into_iter().filter_map(|key| object.shift_remove_entry(key));
    let mut schema = Value::Object(keys.collect());
    convert_schema(&mut schema);
    schema
}

/// The body of which parameters are parts.
fn request_body(parameters: Vec<Value>, consumes: &[String]) -> Option<Value> {
    let is_whole = |parameter: &&Value| parameter["in"] == "body";
    if let Some(body) = parameters.iter().find(is_whole) {
        let mut schema = body.get("schema").cloned().unwrap_or_default();
        convert_schema(&mut schema);
        let media = json!({ "schema": schema });
        let content = consumes.iter().map(|name| (name.clone(), media.clone()));
        let content: Map<String, Value> = content.collect();
        return Some(json!({
            "required": body.get("required").cloned().unwrap_or_default(),
            "description": body.get("description").cloned().unwrap_or_default(),
            "content": content,
        }));
    }
    let (mut properties, mut required) = (Map::new(), Vec::new());
    let mut has_file = false;
    for mut parameter in parameters {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        if parameter["required"] == true {
            required.push(Value::from(name.as_str()));
        }
        has_file |= parameter["type"] == "file";
        let Some(object) = parameter.as_object_mut() else { continue };
        let description = object.shift_remove_entry("description");
        let mut schema = take_schema(object);
        if let Some(schema) = schema.as_object_mut() {
            schema.extend(description);
        }
        properties.insert(name, schema);
    }
    if properties.is_empty() {
        return None;
    }
    let is_multipart = has_file || consumes.iter().any(|name| name == "multipart/form-data");
    let name =
        if is_multipart { "multipart/form-data" } else { "application/x-www-form-urlencoded" };
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let is_required = required_of(&schema);
    Some(json!({ "required": is_required, "content": { name: { "schema": schema } } }))
}

fn required_of(schema: &Value) -> bool {
    schema["required"].as_array().is_some_and(|names| !names.is_empty())
}

fn convert_response(response: &mut Value, produces: &[String]) {
    let Some(response) = response.as_object_mut() else { return };
    let Some(mut schema) = response.shift_remove("schema") else { return };
    convert_schema(&mut schema);
    let content = produces.iter().map(|name| (name.clone(), json!({ "schema": schema })));
    response.insert("content".to_owned(), Value::Object(content.collect()));
}

/// Writes what schemas say in another way.
fn convert_schema(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(convert_schema),
        Value::Object(members) => {
            if members.get("type").is_some_and(|ty| ty == "file") {
                members.insert("type".to_owned(), "string".into());
                members.insert("format".to_owned(), "binary".into());
            }
            if let Some(Value::String(name)) = members.get("discriminator") {
                let discriminator = json!({ "propertyName": name });
                members.insert("discriminator".to_owned(), discriminator);
            }
            if members.get("x-nullable") == Some(&Value::Bool(true)) {
                members.insert("nullable".to_owned(), true.into());
            }
            members.values_mut().for_each(convert_schema);
        }
        _ => {}
    }
}
