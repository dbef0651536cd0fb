//! Lists prompts and returns their messages.

use std::time::Instant;

use serde_json::{Map, Value};

use super::{Endpoint, Request};
use toolwrit_core::authority::{Operation, Prompt};
use toolwrit_core::call::Call;
use toolwrit_core::dialogue::Interrupt;
use toolwrit_core::fault::{Fault, Result};
use toolwrit_core::json::size::object_size;
use toolwrit_text::{nearest, shorten};

impl Endpoint {
    /// Returns the prompts that the caller may use, and the operations that produce their messages.
    pub(crate) fn prompts(&self) -> impl Iterator<Item = (&Prompt, &Operation)> {
        let tables = self.tables();
        let visible =
            tables.prompts.iter().filter(|prompt| self.policy.shows(prompt.operation.into()));
        visible.map(|prompt| (prompt, &*tables.operations[usize::from(prompt.operation)]))
    }

    /// Returns the prompt of this name.
    ///
    /// # Errors
    /// `NOT_FOUND` if this caller has no such prompt.
    pub(super) fn prompt(&self, name: &str) -> Result<&Prompt> {
        let mut prompts = self.tables().prompts.iter();
        let known =
            |prompt: &&Prompt| prompt.name == name && self.policy.knows(prompt.operation.into());
        prompts.find(known).ok_or_else(|| {
            let short = shorten::name(name);
            let close =
                nearest::closest(name, self.prompts().map(|(prompt, _)| prompt.name.as_str()));
            Fault::not_found(format!("There is no prompt `{short}`.")).did_you_mean(close)
        })
    }

    /// Returns the description of a prompt, and its messages as `[{role, content}]`.
    ///
    /// # Errors
    /// The fault of the call; `NOT_FOUND` if the prompt does not exist.
    pub(crate) async fn messages(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        request: Request,
    ) -> std::result::Result<(&str, Value), Interrupt> {
        let known = self.prompt(name);
        let once = |prompt| match &request.repeated {
            Some(repeated) => Err(repeated.fault("")),
            None => Ok(prompt),
        };
        let prompt = match known.and_then(once) {
            Ok(prompt) => prompt,
            Err(fault) => return Err(self.refused("prompts/get", request, fault).into()),
        };
        let operation = &self.tables().operations[usize::from(prompt.operation)];
        let arguments = if operation.is_dynamic {
            // Its operation serves all prompts of a provider.
            Map::from_iter([
                ("name".to_owned(), name.into()),
                ("arguments".to_owned(), arguments.into()),
            ])
        } else {
            arguments
        };
        let value = self.run(prompt.operation, arguments, request).await?;
        Ok((prompt.description.as_ref().unwrap_or(&operation.summary), value))
    }

    /// Runs the operation of a resource, a prompt or a completion.
    pub(super) async fn run(
        &self,
        operation: u16,
        arguments: Map<String, Value>,
        request: Request,
    ) -> std::result::Result<Value, Interrupt> {
        self.policy.refresh();
        let bytes = object_size(&arguments);
        let caller = request.caller(&self.policy, Some(self.surface.kind));
        let name = self.tables().operations[usize::from(operation)].id.clone();
        let outcome = self.engine.pipeline.call(Call { name, arguments, bytes, caller }).await?;
        Ok(outcome.value)
    }

    /// Records a request that names nothing known, and returns its fault.
    pub(super) fn refused(&self, method: &str, request: Request, fault: Fault) -> Fault {
        let caller = request.caller(&self.policy, Some(self.surface.kind));
        self.engine.pipeline.note(&caller, method, 0, Instant::now()).failed(&fault);
        fault
    }
}
