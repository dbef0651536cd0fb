//! The JSON Schema of a dynamic operation's arguments. Its faults are like those of a field table.
//!
//! It is the schema of other software, which may use any keyword, so that the crate jsonschema checks it. It resolves
//! no reference outside of the schema. `references` takes the schema apart, so that a check looks at a value once for
//! each subschema and ends in bounded time.

mod check;
mod fault;
mod listed_names;
mod listing;
mod references;

use std::collections::HashMap;
use std::ptr;
use std::sync::{Arc, Weak};

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::fault::wrong_value::shorten;
use crate::fault::{Fault, Result};
use crate::json::unique::ReadValue;
use check::{Checked, MOST_STEPS, ValueAddress};
pub use listed_names::ListedNames;
use references::Parts;

/// Bytes of the largest schema; clients refuse larger ones.
const MOST_BYTES: usize = 64 * 1024;
/// Bytes of the largest compiled pattern.
const MOST_PATTERN_BYTES: usize = 1024 * 1024;
/// Levels of the deepest arguments.
const MOST_DEPTH: usize = 100;
/// What is checked at once: so many values, in so many steps.
const FEW_NODES: usize = 5_000;
const FEW_STEPS: u32 = 10_000;

/// A compiled schema, and the names that clients see. Clones share it.
#[derive(Clone)]
pub struct ArgumentSchema {
    validators: Arc<Validators>,
    names: Arc<ListedNames>,
}

/// The validators of the parts of a schema.
struct Validators {
    parts: Vec<Value>,
    /// In the order of the parts.
    compiled: Vec<Validator>,
    /// Whether references depend on more than the subschemas that they name, so that the validator follows them.
    follows: bool,
}

impl Validators {
    fn accepts(&self, part: usize, value: &Value) -> bool {
        self.compiled.get(part).is_some_and(|validator| validator.is_valid(value))
    }
}

impl ArgumentSchema {
    /// Compiles a schema. It may refer only to itself.
    ///
    /// # Errors
    /// Why it cannot be used, as the rest of a sentence.
    pub fn new(schema: &Map<String, Value>) -> std::result::Result<Self, String> {
        if schema.get("type").is_none_or(|ty| ty != "object") {
            return Err("does not have `\"type\": \"object\"`".to_owned());
        }
        let schema = Value::Object(schema.clone());
        if crate::json::size::size(&schema) > MOST_BYTES {
            return Err(format!("has more than {MOST_BYTES} bytes"));
        }
        let compiled = validators(&schema).or_else(|error| {
            let mut checked = schema.clone();
            drop_unsupported_patterns(&mut checked);
            validators(&checked).map_err(|_| error)
        })?;
        Ok(Self { validators: compiled, names: Arc::default() })
    }

    /// The same for callers who see these names.
    pub(crate) fn with_names(self, names: ListedNames) -> Self {
        Self { names: Arc::new(names), ..self }
    }

    /// Checks arguments, and returns them by the names of the schema. Objects and lists may be given as JSON text. Arguments for which that takes long are
    /// checked on a blocking thread, until the call is cancelled.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for the most helpful error: an unknown name comes before a missing one. `CANCELLED`.
    pub async fn check(
        &self,
        arguments: Map<String, Value>,
        cancellation: &CancellationToken,
    ) -> Result<Map<String, Value>> {
        let mut arguments = self.names.original(arguments);
        for (name, value) in &mut arguments {
            if let Some(inner) = self.unwrapped(name, value)? {
                *value = inner;
            }
        }
        let arguments = Value::Object(arguments);
        let nodes = shallow_nodes(&arguments)?;
        if nodes <= FEW_NODES {
            match self.checked(&arguments, FEW_STEPS, cancellation) {
                Ok(()) => return Ok(object(arguments)),
                Err(Failed::GivenUp) => {}
                Err(Failed::Fault(fault)) => return Err(*fault),
            }
        }
        let (schema, stop) = (self.clone(), cancellation.child_token());
        let stopped = stop.clone().drop_guard();
        let checking = tokio::task::spawn_blocking(move || {
            schema.checked(&arguments, MOST_STEPS, &stop).map(|()| arguments)
        });
        let checked = cancellation.run_until_cancelled(checking).await;
        drop(stopped);
        match checked {
            Some(Ok(Ok(arguments))) => Ok(object(arguments)),
            Some(Ok(Err(Failed::Fault(fault)))) => Err(*fault),
            Some(Ok(Err(Failed::GivenUp))) if !cancellation.is_cancelled() => Err(too_long()),
            Some(Ok(Err(Failed::GivenUp)) | Err(_)) | None => {
                Err(Fault::cancelled("The call ended before its arguments were checked."))
            }
        }
    }

    /// Whether a few arguments, by the names that clients see, are valid.
    pub(crate) fn accepts(&self, arguments: &Map<String, Value>) -> bool {
        let arguments = Value::Object(self.names.original(arguments.clone()));
        self.checked(&arguments, FEW_STEPS, &CancellationToken::new()).is_ok()
    }

    /// Checks arguments in this thread.
    fn checked(
        &self,
        arguments: &Value,
        steps: u32,
        cancellation: &CancellationToken,
    ) -> std::result::Result<(), Failed> {
        let is_valid = || self.validators.accepts(0, arguments);
        let invalid = match check::run(steps, cancellation.clone(), is_valid) {
            Checked::Valid => return Ok(()),
            Checked::GivenUp => return Err(Failed::GivenUp),
            Checked::Invalid(invalid) => invalid,
        };
        let (part, value, path) = deepest(arguments, &invalid);
        // The error within this value, without those of the references in it.
        let mut fault = None;
        check::run(steps, cancellation.clone(), || {
            fault = Some(self.validators.fault(&self.names, part, value, &path));
            true
        });
        Err(Failed::Fault(Box::new(fault.unwrap_or_else(too_long))))
    }

    /// Parses JSON text that was sent where the schema wants an object or a list.
    fn unwrapped(&self, name: &str, value: &Value) -> Result<Option<Value>> {
        let Value::String(text) = value else { return Ok(None) };
        let declared = &self.validators.parts[0]["properties"][name];
        let declared = &self.validators.resolved(declared)["type"];
        if declared != "object" && declared != "array" {
            return Ok(None);
        }
        match serde_json::from_str(text) {
            Ok(ReadValue { repeated: Some(repeated), .. }) => {
                Err(repeated.fault(&format!("/{}", escaped(self.names.of(name)))))
            }
            Ok(ReadValue { value: inner @ (Value::Array(_) | Value::Object(_)), .. }) => {
                Ok(Some(inner))
            }
            _ => Ok(None),
        }
    }
}

/// Why arguments are not accepted.
enum Failed {
    Fault(Box<Fault>),
    /// The check was cancelled, or took too many steps.
    GivenUp,
}

impl Validators {
    /// What a schema refers to.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        references::part_of(schema).and_then(|part| self.parts.get(part)).unwrap_or(schema)
    }
}

fn validators(schema: &Value) -> std::result::Result<Arc<Validators>, String> {
    let Parts { schemas, draft, follows } = Parts::parse(schema)?;
    let mut failed = None;
    let validators = Arc::new_cyclic(|validators| {
        let built: std::result::Result<Vec<_>, _> =
            schemas.iter().map(|schema| compiled(schema, draft, validators)).collect();
        let compiled = built.unwrap_or_else(|error| {
            failed = Some(error);
            Vec::new()
        });
        Validators { parts: schemas, compiled, follows }
    });
    failed.map_or(Ok(validators), Err)
}

fn compiled(
    schema: &Value,
    draft: Draft,
    validators: &Weak<Validators>,
) -> std::result::Result<Validator, String> {
    let patterns =
        PatternOptions::regex().size_limit(MOST_PATTERN_BYTES).dfa_size_limit(MOST_PATTERN_BYTES);
    let validators = validators.clone();
    let options = jsonschema::options()
        .offline()
        .with_draft(draft)
        .with_pattern_options(patterns)
        .with_keyword(references::STEP, |_, _, _| Ok(Box::new(check::Step)))
        .with_keyword(references::PART, move |schema, _, _| {
            // Only this file writes the keyword, with the number of a part.
            let part = references::part_in(schema).unwrap_or(usize::MAX);
            Ok(Box::new(check::Part { part, validators: validators.clone() }))
        });
    options.build(schema).map_err(|error| format!("is not valid: {}", shorten(&error.to_string())))
}

/// The number of values in arguments, up to more than a few.
///
/// # Errors
/// `VALIDATION_ERROR` if they are nested too deeply.
fn shallow_nodes(arguments: &Value) -> Result<usize> {
    let mut nodes = 0;
    let mut open = vec![(arguments, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > MOST_DEPTH {
            let message = format!("The arguments are nested more than {MOST_DEPTH} levels deep.");
            return Err(
                Fault::validation(message).hinting("Send a flatter value, or several calls.")
            );
        }
        nodes += 1;
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    Ok(nodes)
}

/// The deepest value that no part accepts, the part, and the path of the value. The whole arguments if there is none.
fn deepest<'a>(arguments: &'a Value, invalid: &[ValueAddress]) -> (usize, &'a Value, String) {
    let parts: HashMap<*const Value, usize> =
        invalid.iter().map(|(part, value)| (*value, *part)).collect();
    let mut found = (0, arguments, Vec::new());
    let mut open = vec![(arguments, Vec::new())];
    while let Some((value, path)) = open.pop() {
        if let Some(part) = parts.get(&ptr::from_ref(value))
            && (path.len() > found.2.len() || path.is_empty())
        {
            found = (*part, value, path.clone());
        }
        let inner = |name: String, member: &'a Value| (member, [path.as_slice(), &[name]].concat());
        match value {
            // In reverse, so that the first one is looked at first.
            Value::Array(items) => {
                let items = items.iter().enumerate().rev();
                open.extend(items.map(|(at, item)| inner(at.to_string(), item)));
            }
            Value::Object(fields) => {
                let fields = fields.iter().rev();
                open.extend(fields.map(|(name, field)| inner(escaped(name), field)));
            }
            _ => {}
        }
    }
    let (part, value, path) = found;
    let pointer = path.iter().flat_map(|name| ["/", name]).collect();
    (part, value, pointer)
}

fn object(arguments: Value) -> Map<String, Value> {
    match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    }
}

fn too_long() -> Fault {
    Fault::validation("The arguments are not valid, or too large to be checked.")
        .hinting("Send less at once, or a flatter value.")
}

/// Drops patterns that need look-around or back references, which only the server of the operation can check.
fn drop_unsupported_patterns(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            if let Some(pattern @ Value::String(_)) = keywords.get("pattern")
                && validators(&json!({ "pattern": pattern })).is_err()
            {
                keywords.remove("pattern");
            }
            keywords.values_mut().for_each(drop_unsupported_patterns);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_unsupported_patterns),
        _ => {}
    }
}

/// A name as a part of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Whether arguments fit a schema, for the fuzzer; `None` if the schema cannot be used, or the check gave up.
#[cfg(fuzzing)]
pub fn fits(schema: &Value, arguments: &Map<String, Value>) -> Option<bool> {
    let schema = ArgumentSchema::new(schema.as_object()?).ok()?;
    let arguments = Value::Object(arguments.clone());
    shallow_nodes(&arguments).ok()?;
    match schema.checked(&arguments, MOST_STEPS, &CancellationToken::new()) {
        Ok(()) => Some(true),
        Err(Failed::Fault(_)) => Some(false),
        Err(Failed::GivenUp) => None,
    }
}

#[cfg(test)]
mod tests;
