//! The calls of a batch that must be confirmed. The user is asked about them once, with the batch.

use serde_json::{Map, Value};

use super::bound::named;
use super::{confirmation, merged, policy, validation};
use crate::audit_arguments::AuditArguments;
use crate::authority::Builtin;
use crate::builtin::batch;
use crate::call::{Bound, Call, Caller};
use crate::json_size::object_size;

/// Returns what of a batch must be confirmed, a line each: the operation, and its arguments as the audit keeps them. Empty for
/// other calls. A call that will be refused needs no confirmation.
pub(super) async fn unconfirmed(call: &Bound) -> Vec<String> {
    let operation = call.operation.row();
    if operation.builtin != Some(Builtin::BatchGet) {
        return Vec::new();
    }
    let calls = batch::calls(&named(operation, &call.arguments)).into_iter();
    let mut needed = Vec::new();
    for (name, arguments) in calls {
        if let Some(bound) = bound(call, name, arguments).await
            && bound.confirm.is_none()
            && confirmation::is_needed(&bound)
        {
            let shown = bound.caller.audit_arguments.get().unwrap_or_default();
            needed.push(format!("{} {shown}", bound.operation.row().id));
        }
    }
    needed
}

/// A call of the batch with checked arguments; `None` if it will be refused.
async fn bound(
    batch: &Bound,
    mut name: String,
    mut arguments: Map<String, Value>,
) -> Option<Bound> {
    merged::resolve(&batch.caller.policy, &mut name, &mut arguments).ok()?;
    let own = Caller { audit_arguments: AuditArguments::default(), ..(*batch.caller).clone() };
    let (caller, bytes) = (Box::new(own), object_size(&arguments));
    let admitted = policy::admit(Call { name, arguments, bytes, caller }).ok()?;
    Some(validation::bind(admitted).await.ok()?.0)
}
