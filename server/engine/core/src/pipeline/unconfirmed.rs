//! What of a call must be confirmed: the call itself, and the calls of a batch. The user is asked about these once, with the
//! batch.

use serde_json::{Map, Value};

use super::{merged, policy, validation};
use crate::arguments::value::ArgValue;
use crate::authority::{Builtin, Operation};
use crate::call::audit_arguments::AuditArguments;
use crate::call::batch;
use crate::call::{Call, Caller, Validated};
use crate::json::size::object_size;

/// Whether an operation must be confirmed before this call of it.
pub(super) fn is_needed(call: &Validated) -> bool {
    let operation = call.operation.row();
    operation.confirm && !is_dry(operation, call)
}

/// Returns what of a batch must be confirmed, a line each: the operation, and its arguments as the audit keeps them. Empty for
/// other calls. A call that will be refused needs no confirmation.
pub(super) async fn carried(call: &Validated) -> Vec<String> {
    let operation = call.operation.row();
    if operation.builtin != Some(Builtin::BatchGet) {
        return Vec::new();
    }
    let calls = batch::calls(&call.arguments.clone().into_map(&operation.inputs));
    let mut needed = Vec::new();
    for (name, arguments) in calls.into_iter().flatten() {
        if let Some(validated) = validated(call, name, arguments).await
            && validated.confirm.is_none()
            && is_needed(&validated)
        {
            let shown = validated.caller.audit_arguments.get().unwrap_or_default();
            needed.push(format!("{} {shown}", validated.operation.row().id));
        }
    }
    needed
}

/// A call of the batch with checked arguments; `None` if it will be refused.
async fn validated(
    batch: &Validated,
    mut name: String,
    mut arguments: Map<String, Value>,
) -> Option<Validated> {
    merged::resolve(batch.caller.policy(), &mut name, &mut arguments).ok()?;
    let caller = Caller { audit_arguments: AuditArguments::default(), ..(*batch.caller).clone() };
    let (caller, bytes) = (Box::new(caller), object_size(&arguments));
    let admitted = policy::admit(Call { name, arguments, bytes, caller }).ok()?;
    Some(validation::validate(admitted).await.ok()?.0)
}

fn is_dry(operation: &Operation, call: &Validated) -> bool {
    let dry = dry_run(operation).and_then(|at| call.arguments.iter().nth(at));
    dry == Some(&ArgValue::Boolean(true))
}

/// Returns the position of the argument `dry_run`; `None` if the operation has no dry run.
pub(super) fn dry_run(operation: &Operation) -> Option<usize> {
    let at = operation.inputs.iter().position(|field| field.name == "dry_run");
    at.filter(|_| operation.dry_run)
}
