//! A dynamic operation that has joined an authority: its checks, its names and its row.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use sha2::{Digest, Sha256};
use toolwrit_retrieval::{Analysis, Analyst, ToolDocument};

use super::dynamic::{DynamicOperation, InvalidDynamicOperation, LONGEST_ID, LONGEST_WIRE_NAME};
use super::example::example;
use super::offered::Offered;
use super::parameter_types::parameters;
use super::shown_schema::{selectable, shown_schema};
use super::{
    Alias, Category, DeclaredProvider, Effect, Example, Mapping, Operation, Returns, Tables,
};
use crate::argument_schema::ArgumentSchema;
use crate::json::written::to_json_text;
use toolwrit_text::hex::Hex;

/// A checked dynamic operation, with its row.
#[derive(Clone)]
pub(super) struct Joined {
    pub(super) operation: DynamicOperation,
    /// Position in [`Tables::joining`].
    pub(super) joining: u16,
    /// Position in [`Tables::providers`].
    pub(super) provider_at: u16,
    pub(super) arguments: Arc<ArgumentSchema>,
    row: Arc<Operation>,
    /// Whether its category has no other operations. Its names are then those of its provider, and are not changed.
    whole: bool,
    /// The texts of its category, by which it is found, too.
    category_words: String,
    analysis: OnceLock<Analysis>,
    /// The values of its argument `fields`.
    pub(super) selectable: Vec<String>,
}

/// The category of an operation, and its name there.
struct Membership<'a> {
    joining: u16,
    name: &'a str,
    whole: bool,
}

/// Finds where an operation belongs; `None` if its provider may not add it.
fn membership<'a>(tables: &Tables, provider: &str, id: &'a str) -> Option<Membership<'a>> {
    let (category, name) = id.split_once('.')?;
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control());
    let mut joining = tables.joining.iter();
    let at = joining.position(|joining| {
        tables.categories[usize::from(joining.category)].name == category
            && tables.providers[usize::from(joining.provider)].name == provider
    })?;
    let whole = tables.joining[at].whole;
    let fits = is_name && (whole || is_of_provider(name, provider));
    fits.then_some(Membership { joining: u16::try_from(at).ok()?, name, whole })
}

/// Whether a name begins with its provider, in a category that has other operations, too.
fn is_of_provider(name: &str, provider: &str) -> bool {
    let rest = name.strip_prefix(provider).and_then(|rest| rest.split_once(':'));
    rest.is_some_and(|(segments, local_name)| {
        !local_name.is_empty() && (segments.is_empty() || segments.starts_with('.'))
    })
}

impl Joined {
    /// Checks an operation of a provider.
    ///
    /// # Errors
    /// If it does not fit these tables. Does not check whether another operation has its names.
    pub(super) fn new(
        tables: &Tables,
        provider: &str,
        operation: DynamicOperation,
    ) -> Result<Self, InvalidDynamicOperation> {
        let id = &operation.id;
        if id.chars().count() > LONGEST_ID {
            return Err(InvalidDynamicOperation::TooLong(id.clone()));
        }
        let Membership { joining, name, whole } =
            membership(tables, provider, id).ok_or_else(|| InvalidDynamicOperation::Id {
                id: id.clone(),
                provider: provider.to_owned(),
            })?;
        let rule = tables.joining[usize::from(joining)];
        if operation.effect() > rule.most {
            let (effect, most) = (operation.effect(), rule.most);
            return Err(InvalidDynamicOperation::Effect { id: id.clone(), effect, most });
        }
        let schema = |why| InvalidDynamicOperation::Schema { id: id.clone(), why };
        let arguments = ArgumentSchema::new(&operation.input_schema).map_err(schema)?;
        let arguments = arguments.with_names(operation.listed_names.clone());
        if let Some(output) = &operation.output_schema {
            ArgumentSchema::new(output).map_err(schema)?;
        }
        let declared = &tables.categories[usize::from(rule.category)];
        let output = operation.output_schema.as_ref().filter(|_| operation.select);
        let selectable = output.map(selectable).unwrap_or_default();
        let shown = shown_schema(operation.listed().clone(), operation.is_confirmed(), &selectable);
        let shown =
            shown.map_err(|name| InvalidDynamicOperation::Argument(id.clone(), name.to_owned()))?;
        let wire_name = if whole {
            exact_wire_name(tables, &declared.wire_name, name)
                .ok_or_else(|| InvalidDynamicOperation::WireName(id.clone()))?
        } else {
            wire_name(tables, &declared.wire_name, name)
        };
        let shown = Value::Object(shown);
        let row = Operation {
            name: name.to_owned(),
            wire_name,
            aliases: older_names(tables, &declared.wire_name, operation.older_id.as_deref()),
            category: rule.category,
            requires: Some(rule.provider),
            signature: signature(&operation, &shown),
            input_schema: to_json_text(&shown),
            example: first_example(&operation, &shown, &arguments),
            select: !selectable.is_empty(),
            ..row(&operation)
        };
        Ok(Self {
            joining,
            provider_at: rule.provider,
            arguments: Arc::new(arguments),
            row: Arc::new(row),
            whole,
            category_words: category_words(declared),
            analysis: OnceLock::new(),
            selectable,
            operation,
        })
    }

    /// Returns the same operation with a tool name that no other operation has; `None` if its name must stay.
    pub(super) fn renamed(&self, tables: &Tables) -> Option<Self> {
        if self.whole {
            return None;
        }
        let category = &tables.categories[usize::from(self.row.category)].wire_name;
        let wire_name = unique_wire_name(tables, category, &self.row.name);
        let row = Arc::new(Operation { wire_name, ..(*self.row).clone() });
        Some(Self { row, ..self.clone() })
    }

    /// Returns its tool name.
    pub(super) fn wire_name(&self) -> &str {
        &self.row.wire_name
    }

    /// Returns its names: the id, the tool name, the id without the category, unless others may have that, too, and the older
    /// names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let short = (!self.whole).then_some(self.row.name.as_str());
        let older = self.row.aliases.iter().map(|alias| alias.name.as_str());
        [self.operation.id.as_str(), self.wire_name()].into_iter().chain(short).chain(older)
    }

    /// Returns its names other than the tool name.
    pub(super) fn fixed_names(&self) -> impl Iterator<Item = &str> {
        self.names().filter(|name| *name != self.wire_name())
    }

    /// Whether this provider has added it.
    pub(super) fn is_of(&self, tables: &Tables, provider: &str) -> bool {
        self.provider(&tables.providers) == provider
    }

    /// Returns the name of the provider that has added it, which is one of these.
    pub(super) fn provider<'a>(&self, providers: &'a [DeclaredProvider]) -> &'a str {
        providers.get(usize::from(self.provider_at)).map_or("", |provider| provider.name.as_str())
    }

    pub(super) fn effect(&self) -> Effect {
        self.operation.effect()
    }

    /// Returns the row for this position among all operations.
    pub(super) fn row(&self, position: u16) -> Arc<Operation> {
        match self.operation.offered.served(position) {
            served if served == self.row.served => self.row.clone(),
            served => Arc::new(Operation { served, ..(*self.row).clone() }),
        }
    }

    /// Returns its words. They are read from its texts at the first search.
    pub(super) fn analysis(&self, analyst: &mut Analyst) -> &Analysis {
        let Self { operation, row, category_words, analysis, .. } = self;
        analysis.get_or_init(|| {
            let listed = Value::Object(operation.listed().clone());
            analyst.analyse(&ToolDocument {
                name: &row.name,
                title: &operation.summary,
                description: operation.description.as_deref().unwrap_or_default(),
                category: category_words,
                parameters: parameters(&listed)
                    .map(|parameter| (parameter.name, parameter.description()))
                    .collect(),
                asks: operation.asks.iter().map(String::as_str).collect(),
                effect: operation.effect,
                ..ToolDocument::default()
            })
        })
    }
}

/// Returns the older id of an operation, and the tool name that it had.
fn older_names(tables: &Tables, category: &str, older_id: Option<&str>) -> Vec<Alias> {
    let Some(id) = older_id else { return Vec::new() };
    let name = id.split_once('.').map_or(id, |(_, name)| name);
    let names = [Some(id.to_owned()), exact_wire_name(tables, category, name)];
    let alias = |name| Alias { name, mapping: Mapping::default() };
    names.into_iter().flatten().map(alias).collect()
}

/// Returns what an operation says of itself as a row, without its position in an authority.
fn row(operation: &DynamicOperation) -> Operation {
    let examples =
        operation.examples.iter().map(|args| Example { args: to_json_text(args), note: None });
    Operation {
        id: operation.id.clone(),
        summary: operation.summary.clone(),
        description: operation.description.clone(),
        effect: operation.effect(),
        is_assumed: operation.effect.is_none(),
        idempotent: operation.idempotent,
        open_world: operation.open_world.unwrap_or(true),
        is_world_assumed: operation.open_world.is_none(),
        confirm: operation.is_confirmed(),
        returns: returns(operation),
        returns_tool_result: operation.returns_tool_result,
        served: operation.offered.served(u16::MAX),
        cache: operation.cache,
        examples: examples.collect(),
        asks: operation.asks.clone(),
        timeout: operation.timeout,
        concurrency: operation.concurrency,
        result_bytes: operation.result_bytes,
        is_dynamic: true,
        ..Operation::default()
    }
}

fn returns(operation: &DynamicOperation) -> Returns {
    match (&operation.offered, &operation.output_schema) {
        (Offered::Resources { .. }, _) => Returns::Resource,
        (Offered::Prompts(_), _) => Returns::Messages,
        (Offered::Tool | Offered::Completions, Some(schema)) => {
            Returns::Object(to_json_text(schema))
        }
        (Offered::Tool, None) if operation.returns_tool_result => Returns::Content,
        (Offered::Tool | Offered::Completions, None) => Returns::Text,
    }
}

/// Returns the tool name of an operation. A name that must be changed much gets a suffix that keeps it apart.
fn wire_name(tables: &Tables, category: &str, name: &str) -> String {
    let whole = format!("{}{category}_{}", tables.server.prefix, plain(name));
    if has_plain_name(name) && whole.len() <= LONGEST_WIRE_NAME {
        whole
    } else {
        unique_wire_name(tables, category, name)
    }
}

/// Returns the tool name of an operation whose name must not be changed; `None` if it cannot be one.
fn exact_wire_name(tables: &Tables, category: &str, name: &str) -> Option<String> {
    let whole = format!("{}{category}_{}", tables.server.prefix, plain(name));
    (has_plain_name(name) && whole.len() <= LONGEST_WIRE_NAME).then_some(whole)
}

/// Returns a tool name that ends in a digest of the operation's name.
fn unique_wire_name(tables: &Tables, category: &str, name: &str) -> String {
    let digest = Sha256::digest(format!("{category}.{name}"));
    let digest = Hex(&digest[..4]).to_string();
    let whole = format!("{}{category}_{}", tables.server.prefix, plain(name));
    let most = LONGEST_WIRE_NAME - digest.len() - 1;
    format!("{}_{digest}", &whole[..whole.len().min(most)])
}

/// Whether a tool name shows all that an operation's name says.
fn has_plain_name(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:/".contains(c))
}

/// Replaces the characters that tool names cannot have.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

/// The texts of a category.
fn category_words(category: &Category) -> String {
    format!("{} {} {}", category.name, category.title, category.keywords.join(" "))
}

/// The arguments of a valid call: the first example, or what the schema allows.
fn first_example(
    operation: &DynamicOperation,
    schema: &Value,
    arguments: &ArgumentSchema,
) -> Option<String> {
    let given = operation.examples.first().cloned();
    given.or_else(|| example(schema, arguments)).map(|example| to_json_text(&example))
}

/// `plugin.render(template: string, times?: integer) -> object`, with the types that the schema declares.
fn signature(operation: &DynamicOperation, schema: &Value) -> String {
    let parameters = parameters(schema)
        .map(|parameter| format!("{}: {}", parameter.marked_name(), parameter.signature_type()));
    let parameters: Vec<String> = parameters.collect();
    let result = match operation.output_schema {
        Some(_) => "object",
        None if operation.returns_tool_result => "content",
        None => "text",
    };
    format!("{}({}) -> {result}", operation.id, parameters.join(", "))
}
