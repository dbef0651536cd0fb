//! Operations that the manifest binds to the API of a provider.

use serde_json::{Map, Value};
use toolwrit_text::visible::escaped_result_value;

use crate::arguments;
use crate::authority::{DeclaredError, Field, Operation, PageSizes, Returns};
use crate::call::bound_call::{BoundCall, BoundPage, BoundProgress};
use crate::call::context::Context;
use crate::dialogue::Relay;
use crate::fault::{Code, Fault, Result};
use crate::result::page::without_cursor;
use crate::shared::Replicas;

/// Carries out the operation of a call, which is bound to the API of a provider. Its result shows what hides in it. Handlers
/// get the result as it is, because they may write it back.
pub(super) async fn bound(
    context: &Context,
    provider: &str,
    operation: &Operation,
    arguments: Map<String, Value>,
) -> Result<Value> {
    let value = carry_out(context, context.relay(), (provider, operation), arguments).await?;
    Ok(escaped_result_value(value))
}

/// Carries out an operation on behalf of a call.
async fn carry_out(
    context: &Context,
    relay: Relay,
    (provider, operation): (&str, &Operation),
    mut arguments: Map<String, Value>,
) -> Result<Value> {
    let page = operation.page.map(|sizes| page(sizes, &mut arguments, context.replicas.as_ref()));
    let is_dry = operation.dry_run && arguments.shift_remove("dry_run") == Some(Value::Bool(true));
    let call = BoundCall {
        operation: &operation.id,
        arguments,
        numbers: &context.caller.numbers,
        page,
        replicas: context.replicas.as_ref(),
        dry_run: is_dry,
        account: context.principal().account(),
        deadline: context.deadline,
        cancellation: context.cancellation.clone(),
        progress: context.reports.progress.clone().map(BoundProgress),
        relay,
    };
    let outcome = context.bound_calls.call(provider, call).await;
    let declared = &context.operation.authority().tables().errors;
    let value =
        outcome.map_err(|fault| as_declared(without_secret(fault, &operation.inputs), declared))?;
    Ok(match (&operation.returns, value) {
        (Returns::Text, Value::Null) => "Done.".into(),
        (Returns::Text, value @ (Value::Array(_) | Value::Object(_))) => value.to_string().into(),
        (_, value) => value,
    })
}

/// Removes what was received from a fault if that is the value of a sensitive parameter.
fn without_secret(fault: Fault, inputs: &[Field]) -> Fault {
    let name = fault.path().and_then(|path| path.strip_prefix('/'));
    let name = name.map(|path| path.split('/').next().unwrap_or(path));
    let is_secret = inputs.iter().any(|field| field.sensitive && Some(field.name.as_str()) == name);
    if is_secret { fault.without_got() } else { fault }
}

/// Gives a fault with a declared code the hint of its declaration, and whether to retry.
fn as_declared(fault: Fault, declared: &[DeclaredError]) -> Fault {
    let Code::Declared(code) = fault.code() else { return fault };
    let Some(error) = declared.iter().find(|error| error.code == code.as_str()) else {
        return fault;
    };
    let fault = fault.retryable(error.retryable);
    match error.hint.as_deref().filter(|_| fault.hint().is_none()) {
        Some(hint) => fault.hinting(hint),
        None => fault,
    }
}

/// Takes the page out of the arguments.
fn page(
    sizes: PageSizes,
    arguments: &mut Map<String, Value>,
    replicas: Option<&Replicas>,
) -> BoundPage {
    let limit = arguments.shift_remove("limit").and_then(|limit| limit.as_u64());
    let cursor = arguments.shift_remove("cursor");
    BoundPage {
        limit: limit.and_then(|limit| limit.try_into().ok()).unwrap_or(sizes.default),
        cursor: cursor.and_then(|cursor| cursor.as_str().map(str::to_owned)),
        keys: replicas.and_then(Replicas::cursor_keys),
    }
}

impl Context {
    /// Carries out an operation that the manifest binds to the API of a provider, within this call: with its account,
    /// its deadline and its cancellation. No policy is asked, because this call's own policy allows it.
    ///
    /// # Errors
    /// The fault with which that call ends. `INTERNAL` if there is no such operation.
    pub async fn call_bound(
        &self,
        operation: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value> {
        let authority = self.operation.authority();
        let found = authority.tables().operations.iter().position(|row| row.id == operation);
        let called = found.map(|at| authority.operation(at));
        let Some((called, provider)) = called
            .as_ref()
            .filter(|called| called.row().binding.is_some())
            .and_then(|called| Some((called, called.provider()?)))
        else {
            return Err(Fault::internal(format!("`{operation}` is not bound to an API")));
        };
        let row = called.row();
        let arguments = arguments::bind(&row.inputs, arguments)?.into_map(&row.inputs);
        // The answers of a later round would belong to any of a handler's calls.
        let relay = Relay::default();
        carry_out(self, relay, (provider, row), arguments).await.map(without_cursor)
    }
}
