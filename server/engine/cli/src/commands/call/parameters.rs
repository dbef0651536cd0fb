//! Converts between an operation's parameters and flags.

use clap::builder::{
    BoolValueParser, PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser,
};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};

use crate::program::{self, invocation, quoted};
use toolwrit_core::arguments;
use toolwrit_core::authority::{Alias, Field, Operation, Presence, Type};
use toolwrit_core::json::written::parse_row_text;

/// Returns a flag for each parameter, with names that the command does not use yet. Older parameter names of
/// the alias become aliases of the flag, or flags of their own if they are inside a parameter. Parameters that the
/// alias sets have no flag.
pub(super) fn flags(
    operation: &'static Operation,
    alias: Option<&'static Alias>,
    others: &Command,
) -> Vec<Arg> {
    let mut names = FlagNames::besides(others);
    let fields: Vec<_> =
        fields(operation, alias).map(|field| (field, names.claim(&field.name))).collect();
    let current = fields.into_iter().map(|(field, name)| {
        let renamed = alias.iter().flat_map(|alias| &alias.mapping.args);
        let older = renamed.filter(|(_, now)| now.as_slice() == std::slice::from_ref(&field.name));
        let older: Vec<String> = older.map(|(older, _)| names.claim(older)).collect();
        flag(field, name, older_values(alias, field)).visible_aliases(older)
    });
    let mut flags: Vec<Arg> = current.collect();
    flags.extend(inner(alias).map(|older| older_flag(older, names.claim(older))));
    flags
}

/// The older parameters of an alias that have no current parameter of their own.
fn inner(alias: Option<&'static Alias>) -> impl Iterator<Item = &'static str> {
    let mappings = move || alias.into_iter().map(|alias| &alias.mapping);
    let args = mappings().flat_map(|mapping| &mapping.args);
    let args = args.filter(|(_, now)| now.len() > 1).map(|(older, _)| older.as_str());
    let lists = mappings().flat_map(|mapping| &mapping.each).map(|each| each.from.as_str());
    let ignored = mappings().flat_map(|mapping| &mapping.ignore);
    let ignored = ignored.filter_map(|path| match path.as_slice() {
        [name] => Some(name.as_str()),
        _ => None,
    });
    let harmless =
        mappings().flat_map(|mapping| &mapping.harmless).map(|older| older.name.as_str());
    args.chain(lists).chain(ignored).chain(harmless)
}

/// A flag of an older parameter. The call translates and checks its value.
fn older_flag(older: &'static str, name: String) -> Arg {
    let parse = |text: &str| Ok::<_, String>(json_or_text(text));
    Arg::new(older_id(older))
        .help_heading("Parameters")
        .help("An older parameter: text or JSON")
        .long(name)
        .value_name("VALUE")
        .allow_hyphen_values(true)
        .value_parser(ValueParser::new(parse))
}

fn older_id(older: &str) -> String {
    format!("older parameter {older}")
}

/// The older values that the alias accepts for a parameter.
fn older_values(alias: Option<&'static Alias>, field: &Field) -> &'static [(String, String)] {
    let mut values = alias.iter().flat_map(|alias| &alias.mapping.values);
    values
        .find(|(path, _)| path.as_slice() == std::slice::from_ref(&field.name))
        .map_or(&[], |(_, values)| values)
}

/// The required flags, for the usage line.
pub(super) fn required_usage(operation: &'static Operation, flags: &[Arg]) -> String {
    let required_usage =
        operation.inputs.iter().filter(|field| field.presence == Presence::Required);
    let shown = required_usage.filter_map(|field| {
        let id = id(field);
        let flag = flags.iter().find(|flag| flag.get_id() == id.as_str())?;
        let value = flag.get_value_names().and_then(<[_]>::first);
        Some(format!(" --{} <{}>", flag.get_long()?, value.map_or("VALUE", |name| name.as_str())))
    });
    shown.collect()
}

/// Returns the parameters given as flags, under their current names, and those inside a parameter under their
/// older names.
pub(super) fn collect(
    operation: &'static Operation,
    alias: Option<&'static Alias>,
    matches: &ArgMatches,
) -> Map<String, Value> {
    let given = operation.inputs.iter().filter_map(|field| {
        // A parameter that the alias sets has no flag.
        let mut values = matches.try_get_many::<Value>(&id(field)).ok().flatten()?;
        let value = match &field.ty {
            Type::Array { .. } => Value::Array(values.cloned().collect()),
            _ => values.next_back().cloned()?,
        };
        Some((field.name.clone(), value))
    });
    let older = inner(alias).filter_map(|older| {
        let value = matches.get_one::<Value>(&older_id(older))?;
        Some((older.to_owned(), value.clone()))
    });
    given.chain(older).collect()
}

/// The operation's examples as shell commands, each after its note.
pub(crate) fn examples(operation: &Operation, others: &Command) -> impl Iterator<Item = String> {
    operation.examples.iter().flat_map(move |example| {
        let note = example.note.as_ref().map(|note| format!("# {note}"));
        note.into_iter().chain([command_line(operation, others, &example.args)])
    })
}

/// The shell command that calls an operation with these arguments, given as JSON.
fn command_line(operation: &Operation, others: &Command, arguments: &str) -> String {
    let arguments: Map<String, Value> = parse_row_text(arguments);
    let mut names = FlagNames::besides(others);
    let mut words = vec![invocation().to_owned(), "call".to_owned(), operation.id.clone()];
    if operation.is_dynamic && operation.inputs.is_empty() && !arguments.is_empty() {
        words.push(format!("--args {}", quoted(&Value::Object(arguments).to_string())));
        return words.join(" ");
    }
    for field in &operation.inputs {
        let name = names.claim(&field.name);
        let Some(value) = arguments.get(&field.name) else { continue };
        let values = match (&field.ty, value) {
            (Type::Array { .. }, Value::Array(items)) => items.as_slice(),
            _ => std::slice::from_ref(value),
        };
        for value in values {
            let value = match value {
                Value::Bool(true) => String::new(),
                Value::Bool(false) => "=false".to_owned(),
                Value::String(text) => format!(" {}", quoted(text)),
                other => format!(" {}", quoted(&other.to_string())),
            };
            words.push(format!("--{name}{value}"));
        }
    }
    words.join(" ")
}

/// The parameters that a call by this name accepts. If an older parameter name equals the name of another
/// current parameter, it keeps its older meaning.
fn fields(
    operation: &'static Operation,
    alias: Option<&'static Alias>,
) -> impl Iterator<Item = &'static Field> {
    let set_by_alias = move |field: &&Field| {
        let Some(Alias { mapping, .. }) = alias else { return false };
        let paths = mapping.args.iter().map(|(_, now)| now).filter(|now| now.len() > 1);
        let lists = mapping.each.iter().map(|each| &each.into);
        let fixed = mapping.set.iter().map(|(path, _)| path);
        paths.chain(lists).chain(fixed).any(|path| path.first() == Some(&field.name))
            || mapping.args.iter().any(|(older, now)| {
                *older == field.name && now.as_slice() != std::slice::from_ref(older)
            })
            || inner(alias).any(|older| older == field.name)
    };
    // The command line asks on the terminal instead.
    let is_confirmation = |field: &&Field| operation.confirm && field.name == Operation::CONFIRM;
    operation.inputs.iter().filter(move |field| !set_by_alias(field) && !is_confirmation(field))
}

/// The flag names already used.
struct FlagNames(Vec<String>);

impl FlagNames {
    fn besides(command: &Command) -> Self {
        let longs = command.get_arguments().filter_map(Arg::get_long);
        let general = program::flags();
        let general = general.filter_map(|flag| flag.get_long().map(str::to_owned));
        Self(longs.chain(["help"]).map(str::to_owned).chain(general).collect())
    }

    /// Reserves a name: `max_bytes` becomes `--max-bytes`, or `--param-max-bytes` if that is used.
    fn claim(&mut self, parameter: &str) -> String {
        let mut name = parameter.replace('_', "-");
        while self.0.contains(&name) {
            name.insert_str(0, "param-");
        }
        self.0.push(name.clone());
        name
    }
}

fn id(field: &Field) -> String {
    format!("parameter {}", field.name)
}

fn flag(field: &'static Field, name: String, older_values: &'static [(String, String)]) -> Arg {
    let argument =
        Arg::new(id(field)).help_heading("Parameters").help(help(field, &name)).long(name);
    // A required parameter may also be given in `--args`.
    let argument = match field.presence {
        Presence::Required => argument.required_unless_present("args"),
        Presence::Optional | Presence::Default(_) => argument,
    };
    let once = Field { ty: item(&field.ty).clone(), ..field.clone() };
    let argument = argument.value_parser(parser(once, older_values));
    let argument = match &field.ty {
        Type::Array { .. } => argument.action(ArgAction::Append),
        _ => argument,
    };
    match item(&field.ty) {
        Type::Boolean => argument
            // The name of the operation, the only positional argument, comes before.
            .num_args(0..=1)
            .default_missing_value("true")
            .value_name("BOOLEAN")
            .hide_possible_values(true),
        // Text may begin with a hyphen, as Markdown lists do, and a number may be negative.
        Type::Enum(_) => argument.value_name(field.name.to_uppercase()),
        ty => argument.allow_hyphen_values(true).value_name(placeholder(ty)),
    }
}

/// The type of one occurrence of the flag: of an item, if the parameter is a list.
fn item(ty: &Type) -> &Type {
    match ty {
        Type::Array { items, .. } => items,
        ty => ty,
    }
}

fn placeholder(ty: &Type) -> &'static str {
    match ty {
        Type::Integer { .. } | Type::Unsigned { .. } => "INTEGER",
        Type::Number { .. } => "NUMBER",
        Type::Date => "DATE",
        Type::DateTime => "DATETIME",
        Type::String { .. } | Type::Boolean | Type::Enum(_) => "TEXT",
        Type::Json => "VALUE",
        Type::Array { .. } | Type::Map(_) | Type::Record(_) => "JSON",
    }
}

fn help(field: &Field, flag: &str) -> String {
    let mut notes = Vec::new();
    if flag != field.name.replace('_', "-") {
        notes.push(format!(
            "[sets the parameter `{}`; the shorter flag name is already used]",
            field.name
        ));
    }
    match &field.ty {
        Type::Array { .. } => notes.push("[repeatable]".to_owned()),
        Type::Integer { .. } | Type::Unsigned { .. } | Type::Number { .. } => {
            let expected = arguments::expected(&field.ty);
            if let Some((_, range)) = expected.split_once(' ') {
                notes.push(format!("[{range}]"));
            }
        }
        _ => {}
    }
    if matches!(item(&field.ty), Type::Json) {
        notes.push("[JSON, or else text]".to_owned());
    }
    if let Presence::Default(value) = &field.presence {
        let text = match parse_row_text(value) {
            Value::String(text) => text,
            _ => value.clone(),
        };
        if !text.is_empty() {
            notes.push(format!("[default: {text}]"));
        }
    }
    let description = (!field.description.is_empty()).then(|| field.description.clone());
    description.into_iter().chain(notes).collect::<Vec<_>>().join(" ")
}

/// Parses one occurrence of the flag. Older values are passed on as they are: the call translates them.
fn parser(field: Field, older: &'static [(String, String)]) -> ValueParser {
    match &field.ty {
        Type::Enum(values) => {
            let about = |value: &str| field.values.iter().find(|(name, _)| *name == value);
            let current = values.iter().map(|value| match about(value) {
                Some((_, about)) => PossibleValue::new(value.clone()).help(about.clone()),
                None => PossibleValue::new(value.clone()),
            });
            let older =
                older.iter().map(|(older, _)| PossibleValue::new(older.as_str()).hide(true));
            let possible = PossibleValuesParser::new(current.chain(older));
            ValueParser::new(possible.map(Value::from))
        }
        Type::Boolean if older.is_empty() => {
            ValueParser::new(BoolValueParser::new().map(Value::from))
        }
        _ => ValueParser::new(move |text: &str| {
            let is_older = older.iter().any(|(older, _)| older == text);
            if is_older { Ok(Value::from(text)) } else { parse(&field, text) }
        }),
    }
}

/// Text that is not JSON is meant as it is.
fn json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// Parses text as its parameter's type, and checks it as the arguments of a call are checked.
fn parse(field: &Field, text: &str) -> Result<Value, String> {
    let value = match &field.ty {
        Type::Integer { .. } | Type::Unsigned { .. } | Type::Number { .. } | Type::Json => {
            json_or_text(text)
        }
        Type::Boolean | Type::Array { .. } | Type::Map(_) | Type::Record(_) => {
            serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?
        }
        _ => Value::from(text),
    };
    arguments::check(field, value.clone()).map_err(|fault| match fault.hint() {
        Some(hint) => format!("{} {hint}", fault.message()),
        None => fault.message().to_owned(),
    })?;
    Ok(value)
}
