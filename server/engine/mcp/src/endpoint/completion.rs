//! Suggestions for an argument while a person types it.

use serde_json::{Map, Value, json};

use super::{Endpoint, Request};
use toolwrit_core::authority::{Operation, Resource, Served, Type};
use toolwrit_core::dialogue::Interrupt;
use toolwrit_core::fault::{Fault, Result};
use toolwrit_text::shorten;

/// Most values in one answer: a limit of the specification.
const MOST: usize = 100;

/// What an argument belongs to.
#[derive(Debug)]
pub(crate) enum Reference {
    /// The resource with this URI template.
    Resource(String),
    /// The prompt of this name.
    Prompt(String),
}

impl Reference {
    /// What the operation of a provider is asked.
    fn asked(&self, argument: &str, typed: &str, filled: Map<String, Value>) -> Map<String, Value> {
        let (kind, name) = match self {
            Self::Resource(uri) => ("resource", uri),
            Self::Prompt(name) => ("prompt", name),
        };
        Map::from_iter([
            (kind.to_owned(), name.as_str().into()),
            ("argument".to_owned(), argument.into()),
            ("value".to_owned(), typed.into()),
            ("arguments".to_owned(), filled.into()),
        ])
    }
}

/// The values suggested for an argument.
#[derive(Debug, PartialEq)]
pub(crate) struct Completion {
    pub(crate) values: Vec<String>,
    /// How many values fit, including those not listed.
    pub(crate) total: usize,
}

impl Completion {
    fn new(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(MOST);
        Self { values, total }
    }

    /// Whether `values` lacks some of the values that fit.
    pub(crate) fn has_more(&self) -> bool {
        self.total > self.values.len()
    }
}

impl Endpoint {
    /// Whether any argument can be completed for this caller.
    pub(crate) fn completes(&self) -> bool {
        if self.serves(completes_all) {
            return true;
        }
        let operations = self.resources().map(|(_, operation)| operation);
        let mut operations = operations.chain(self.prompts().map(|(_, operation)| operation));
        operations.any(|operation| {
            let mut names = operation.inputs.iter().map(|field| &field.name);
            operation.inputs.iter().any(|field| matches!(field.ty, Type::Enum(_)))
                || names.any(|name| self.completer(operation, name).is_some())
        })
    }

    /// Returns values for an argument that begins with `typed`. `filled` holds the other arguments so far.
    ///
    /// # Errors
    /// `NOT_FOUND` if this caller has no such resource or prompt, `VALIDATION_ERROR` if it has no such
    /// argument, or the fault of the handler.
    pub(crate) async fn complete(
        &self,
        reference: &Reference,
        argument: &str,
        typed: &str,
        filled: Map<String, Value>,
        request: Request,
    ) -> Result<Completion> {
        let found = self.referenced(reference).and_then(|operation| {
            if operation.is_dynamic {
                Ok((operation, None))
            } else {
                Ok((operation, Some(field(operation, argument)?)))
            }
        });
        let (operation, ty) = match found {
            Ok((operation, Some(ty))) => (operation, ty),
            Ok((operation, None)) => {
                let Some(completer) = self.offered_completer(operation) else {
                    return Ok(Completion::new(Vec::new()));
                };
                let arguments = reference.asked(argument, typed, filled);
                return self.suggested(completer, arguments, request).await;
            }
            Err(fault) => return Err(self.refused("completion/complete", request, fault)),
        };
        if let Type::Enum(values) = ty {
            let low = typed.to_lowercase();
            let fitting = values.iter().filter(|value| value.to_lowercase().starts_with(&low));
            return Ok(Completion::new(fitting.map(|value| (*value).clone()).collect()));
        }
        let Some(completer) = self.completer(operation, argument) else {
            return Ok(Completion::new(Vec::new()));
        };
        let arguments =
            [("value".to_owned(), typed.into()), ("arguments".to_owned(), json!(filled))];
        self.suggested(completer, arguments.into_iter().collect(), request).await
    }

    /// Returns the values that an operation suggests.
    async fn suggested(
        &self,
        completer: u16,
        arguments: Map<String, Value>,
        request: Request,
    ) -> Result<Completion> {
        let value = self.run(completer, arguments, request).await;
        let value = value.map_err(Interrupt::into_fault)?;
        Ok(Completion::new(serde_json::from_value(value)?))
    }

    /// The operation of a resource or a prompt.
    fn referenced(&self, reference: &Reference) -> Result<&Operation> {
        let index = match reference {
            Reference::Prompt(name) => self.prompt(name)?.operation,
            Reference::Resource(uri) => self.templated(uri)?.operation,
        };
        self.policy.admit(index.into())?;
        Ok(&self.tables().operations[usize::from(index)])
    }

    /// The resource with this URI template.
    fn templated(&self, uri: &str) -> Result<&Resource> {
        let mut resources = self.tables().resources.iter();
        let known = |resource: &&Resource| {
            resource.uri == uri && self.policy.knows(resource.operation.into())
        };
        resources.find(known).ok_or_else(|| {
            let short = shorten::name(uri);
            Fault::not_found(format!("There is no resource template `{short}`."))
        })
    }

    /// Returns the position of the operation with which the provider of another operation completes arguments.
    fn offered_completer(&self, operation: &Operation) -> Option<u16> {
        let found = self.tables().operations.iter().position(|completer| {
            completer.requires == operation.requires && completes_all(&completer.served)
        });
        found.and_then(|at| u16::try_from(at).ok())
    }

    /// Returns the position of the operation that completes an argument.
    fn completer(&self, operation: &Operation, argument: &str) -> Option<u16> {
        let operations = &self.tables().operations;
        let found = operations.iter().position(|completer| match &completer.served {
            Served::Completion { of, argument: completed } => {
                operations[usize::from(*of)].id == operation.id && completed == argument
            }
            _ => false,
        });
        found.and_then(|at| u16::try_from(at).ok())
    }
}

/// Whether an operation of a provider completes all arguments of the provider's resources and prompts.
fn completes_all(served: &Served) -> bool {
    matches!(served, Served::Completion { argument, .. } if argument.is_empty())
}

fn field<'a>(operation: &'a Operation, argument: &str) -> Result<&'a Type> {
    let found = operation.inputs.iter().find(|field| field.name == argument);
    found.map(|field| &field.ty).ok_or_else(|| {
        let names = operation.inputs.iter().map(|field| field.name.as_str());
        Fault::validation(format!("`{}` has no such argument.", operation.id))
            .expecting(names.clone().collect::<Vec<_>>().join("|"))
            .did_you_mean(toolwrit_text::nearest::closest(argument, names))
    })
}
