//! The manifest of another MCP server, from the list of its tools. The schemas of tools are read as those of an API.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::conversion::naming::LONGEST_CATEGORY;
use crate::conversion::phrases::derive_asks;
use crate::conversion::property::is_name;
use crate::conversion::types::{Direction, Types};
use crate::document::documents::{Documents, ImportError};
use crate::document::node::Node;
use crate::document::schema::Schema;
use crate::language::names::{Names, split_words, to_kebab_case, to_snake_case};
use crate::language::shape::{Field, Shape};
use crate::language::text;
use crate::language::yaml::{Mapping, Yaml};
use crate::losses::Losses;
use crate::manifest::reachable_types;
use crate::{Imported, losses::Kind};

/// Names that clients see have at most 60 characters, with the category and a number.
const LONGEST_ID: usize = 56;
const LONGEST_PARAMETER: usize = 48;
const LONGEST_DESCRIPTION: usize = 300;

/// An MCP server whose tools are imported.
#[derive(Debug, Clone)]
pub struct ToolServer<'a> {
    /// The name of the provider.
    pub name: &'a str,
    /// The category of all operations. The name of the provider unless given.
    pub category: Option<&'a str>,
    /// Where it is.
    pub address: ServerAddress<'a>,
    /// The lock file, relative to the manifest.
    pub lock: &'a str,
}

/// Where an MCP server is.
#[derive(Debug, Clone)]
pub enum ServerAddress<'a> {
    /// A program.
    Command {
        /// The program and its words.
        words: &'a [String],
        /// The variables that it needs, each of which becomes a secret of the operator.
        environment: &'a [String],
    },
    /// A server over streamable HTTP.
    Url {
        url: &'a str,
        /// The variable with a bearer token, which becomes a secret of the operator.
        bearer: Option<&'a str>,
    },
}

struct ToolOperation {
    id: String,
    written: Mapping,
    shapes: Vec<Shape>,
}

/// Imports the tools of an MCP server, as it lists them.
///
/// # Errors
/// If a name is not valid, or there are no tools.
pub fn import_tools(server: &ToolServer<'_>, tools: Vec<Value>) -> Result<Imported, ImportError> {
    let category = server.category.unwrap_or(server.name);
    for name in [server.name, category] {
        if to_kebab_case(name, "", LONGEST_CATEGORY) != *name {
            return Err(ImportError::Category(name.to_owned()));
        }
    }
    let tools = tools.into_iter().enumerate().map(|(at, tool)| root_references(tool, at));
    let documents = Documents::from_value(json!({ "tools": tools.collect::<Vec<_>>() }));
    let root = Node::root(&documents);
    let (mut types, mut losses, mut names) =
        (Types::default(), Losses::default(), Names::default());
    let mut operations = Vec::new();
    for node in root.raw("tools").iter().flat_map(Node::items) {
        let Some(tool) = node.text("name") else { continue };
        let reader = ToolReader { tool, node: &node, category, provider: server.name };
        let id = reader.operation_id(&mut names);
        operations.extend(reader.read_operation(id, &mut types, &mut losses));
    }
    if operations.is_empty() {
        return Err(ImportError::Nothing);
    }
    let used =
        reachable_types(&types.declared, operations.iter().flat_map(|operation| &operation.shapes));
    Ok(Imported {
        operations: operations.len(),
        types: used.len(),
        manifest: write_manifest(server, category, &types, &used, operations),
        losses: losses.into_list(),
    })
}

/// References of a schema begin at the schema; here they begin at the document with all tools.
fn root_references(mut tool: Value, at: usize) -> Value {
    for key in ["inputSchema", "outputSchema"] {
        if let Some(schema) = tool.get_mut(key) {
            move_references(schema, &format!("#/tools/{at}/{key}"));
        }
    }
    tool
}

fn move_references(value: &mut Value, root: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| move_references(item, root)),
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(text) if key == "$ref" => {
                        if let Some(rest) = text.strip_prefix('#') {
                            *text = format!("{root}{rest}");
                        }
                    }
                    member => move_references(member, root),
                }
            }
        }
        _ => {}
    }
}

/// Reads one tool.
struct ToolReader<'a> {
    tool: &'a str,
    node: &'a Node<'a>,
    category: &'a str,
    provider: &'a str,
}

impl ToolReader<'_> {
    fn operation_id(&self, names: &mut Names) -> String {
        let all = split_words(self.tool);
        let prefix = split_words(self.provider);
        let rest = all.strip_prefix(prefix.as_slice()).filter(|rest| !rest.is_empty());
        let name = rest.unwrap_or(&all).join("_");
        let most = LONGEST_ID.saturating_sub(self.category.len() + 1);
        format!("{}.{}", self.category, names.claim(&to_snake_case(&name, "call", most), "_"))
    }

    /// The operation; `None` if an argument that the tool requires cannot be written.
    fn read_operation(
        &self,
        id: String,
        types: &mut Types,
        losses: &mut Losses,
    ) -> Option<ToolOperation> {
        let fields = self.read_parameters(types, losses)?;
        let mut written = Mapping::block();
        let all = split_words(self.tool);
        let described = self.node.text("description");
        let summary =
            described.and_then(text::summarize).or_else(|| text::summarize(&all.join(" ")));
        let summary =
            summary.unwrap_or(text::Summary { text: "Call the tool.".to_owned(), is_cut: false });
        let why = if summary.is_cut { "cut" } else { "in the words of the server" };
        written.guess("summary", summary.text.as_str(), why);
        let more = described.and_then(|text| text::shorten_description(text, LONGEST_DESCRIPTION));
        let same = |text: &String| text.trim_end_matches('.') == summary.text.trim_end_matches('.');
        if let Some(more) = more.filter(|text| !same(text)) {
            written.guess("description", more, "in the words of the server");
        }
        self.write_effect(&mut written);
        let asks: Vec<Yaml> =
            derive_asks(&summary.text, &all).into_iter().map(Yaml::from).collect();
        written.guess("asks", asks, "add how your users ask");
        if !fields.is_empty() {
            written.add("params", types.declared.write_fields(&fields));
        }
        let result = self.read_result(types, losses);
        if let Some(shape) = &result {
            written.add("returns", types.declared.type_expression(shape));
        }
        let shapes = fields.iter().map(|field| field.shape.clone()).chain(result).collect();
        written.add("mcp", self.to_binding(&fields));
        Some(ToolOperation { id, written, shapes })
    }

    /// What the tool does, as far as it says so itself.
    fn write_effect(&self, written: &mut Mapping) {
        let annotations = self.node.raw("annotations");
        let says = |hint: &str| annotations.as_ref().and_then(|all| all.flag(hint));
        let (effect, why) = match (says("readOnlyHint"), says("destructiveHint")) {
            (Some(true), _) => ("read", "the server says that it only reads"),
            (_, Some(false)) => ("write", "the server says that it destroys nothing"),
            (_, Some(true)) => ("destroy", "the server says that it may destroy something"),
            (_, None) => ("destroy", "the server does not say what it changes"),
        };
        written.guess("effect", effect, why);
        if effect != "read" && says("idempotentHint") == Some(true) {
            written.guess("idempotent", true, "the server says so");
        }
        if says("openWorldHint") == Some(false) {
            written.guess("open_world", false, "the server says so");
        }
        if effect == "destroy" {
            written.add("confirm", true);
        }
    }

    fn read_parameters(&self, types: &mut Types, losses: &mut Losses) -> Option<Vec<Field>> {
        let Some(schema) = self.node.raw("inputSchema").and_then(|node| Schema::read(&node)) else {
            return Some(Vec::new());
        };
        // The engine may add parameters of these names.
        let mut names = Names::from_taken(&["confirm", "dry_run"]);
        let required = schema.required();
        let mut fields = Vec::new();
        for (original, node) in schema.properties() {
            if !is_name(original) || original.ends_with('?') {
                if required.contains(original) {
                    let message =
                        "left out: the name of an argument that it requires cannot be written";
                    losses.add(Kind::Operation, &node.location(), message);
                    return None;
                }
                losses.add(
                    Kind::Parameter,
                    &node.location(),
                    "left out: its name cannot be written",
                );
                continue;
            }
            let hint = format!("{}_{original}", self.tool);
            let property = types.read_property(&node, Direction::Sent, &hint, losses);
            let mut shape = property.shape;
            if !types.declared.is_verbatim(&shape) {
                let message = "its fields have other names in the manifest: any value";
                losses.add(Kind::Parameter, &node.location(), message);
                shape = Shape::Json;
            }
            fields.push(Field {
                name: names.claim(&to_snake_case(original, "argument", LONGEST_PARAMETER), "_"),
                original: original.to_owned(),
                shape,
                is_required: required.contains(original),
                description: property.description,
                // The server has its own defaults.
                default: None,
                example: property.example,
                is_sensitive: property.is_sensitive,
                is_nullable: false,
            });
        }
        Some(fields)
    }

    /// The type of the structured content; `None` if it has none, so that the result is text.
    fn read_result(&self, types: &mut Types, losses: &mut Losses) -> Option<Shape> {
        let node = self.node.raw("outputSchema")?;
        let hint = format!("{}_result", self.tool);
        let shape = types.read_shape(&node, Direction::Received, &hint, losses);
        if types.declared.is_verbatim(&shape) {
            return Some(shape);
        }
        let message = "its fields have other names in the manifest: any value";
        losses.add(Kind::Result, &node.location(), message);
        Some(Shape::Json)
    }

    fn to_binding(&self, fields: &[Field]) -> Yaml {
        if fields.iter().all(|field| field.name == field.original) {
            return self.tool.into();
        }
        let mut arguments = Mapping::default();
        for field in fields {
            let end = if field.is_required { "" } else { "?" };
            arguments.add(format!("{}{end}", field.original), format!("${}", field.name));
        }
        let mut binding = Mapping::default();
        binding.add("tool", self.tool);
        binding.add("args", arguments);
        binding.into()
    }
}

fn write_manifest(
    server: &ToolServer<'_>,
    category: &str,
    types: &Types,
    used: &BTreeSet<usize>,
    operations: Vec<ToolOperation>,
) -> String {
    let mut server_entry = Mapping::default();
    server_entry.add("name", server.name);
    let mut manifest = Mapping::block();
    manifest.add("toolwrit", 1);
    manifest.add("server", server_entry);
    let mut described = Mapping::default();
    described.add("summary", format!("Operations for {}.", split_words(category).join(" ")));
    let mut keywords = split_words(category);
    keywords.dedup();
    described.add("keywords", keywords.into_iter().map(Yaml::from).collect::<Vec<_>>());
    let mut categories = Mapping::block();
    categories.guess(category, described, "say what it is about");
    manifest.add("categories", categories);
    let mut providers = Mapping::block();
    providers.add(server.name, write_provider(server));
    manifest.add("providers", providers);
    if !used.is_empty() {
        let mut written = Mapping::block();
        for one in used.iter().map(|at| &types.declared.0[*at]) {
            written.add(one.name.as_str(), types.declared.write_type(one));
        }
        manifest.guess("types", written, "an answer without a field that is required here fails");
    }
    let mut all = Mapping::block();
    for operation in operations {
        all.add(operation.id, operation.written);
    }
    manifest.add("operations", all);
    let head = "# Imported from the tools of an MCP server. Guesses have a comment: check each, then remove the comment.\n";
    format!("{head}{}", manifest.write())
}

fn write_provider(server: &ToolServer<'_>) -> Mapping {
    let mut mcp = Mapping::block();
    let mut settings = Mapping::default();
    let mut secret = |variable: &str| {
        let name = to_snake_case(variable, "token", LONGEST_PARAMETER);
        let mut setting = Mapping::default();
        setting.add("type", "string");
        setting.add("sensitive", true);
        settings.add(name.as_str(), setting);
        format!("${name}")
    };
    match &server.address {
        ServerAddress::Command { words, environment } => {
            mcp.add(
                "command",
                words.iter().map(|word| escape_word(word).into()).collect::<Vec<Yaml>>(),
            );
            let mut variables = Mapping::default();
            for name in *environment {
                variables.add(name.as_str(), secret(name));
            }
            if !variables.is_empty() {
                mcp.add("environment", variables);
            }
        }
        ServerAddress::Url { url, bearer } => {
            mcp.add("url", *url);
            if let Some(name) = bearer {
                mcp.add("bearer", secret(name));
            }
        }
    }
    mcp.add("lock", server.lock);
    let mut provider = Mapping::block();
    provider.guess("summary", format!("The MCP server {}.", server.name), "say what it is");
    if !settings.is_empty() {
        provider.add("settings", settings);
    }
    provider.add("mcp", mcp);
    provider
}

/// A word of a command that is not read as a reference.
fn escape_word(word: &str) -> String {
    if word.starts_with('$') {
        return format!("${word}");
    }
    word.replace('{', "{{").replace('}', "}}")
}
