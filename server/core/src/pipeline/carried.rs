//! The calls of a batch that must be confirmed. The user is asked about them once, with the batch.

use super::bound::named;
use super::{confirmation, merged, policy, validation};
use crate::audit_arguments::AuditArguments;
use crate::authority::Builtin;
use crate::builtin::batch;
use crate::call::{Bound, Call, Caller};
use crate::json_size::object_size;

/// Returns what of a batch must be confirmed, a line each: the operation, and its arguments as the audit keeps them. Empty for
/// other calls. A call that will be refused needs no confirmation.
pub(super) fn unconfirmed(call: &Bound) -> Vec<String> {
    let operation = call.operation.row();
    if operation.builtin != Some(Builtin::BatchGet) {
        return Vec::new();
    }
    let calls = batch::calls(&named(operation, &call.arguments)).into_iter();
    let needed = calls.filter_map(|(mut name, mut arguments)| {
        merged::resolve(&call.caller.policy, &mut name, &mut arguments).ok()?;
        let caller = Box::new(Caller {
            audit_arguments: AuditArguments::default(),
            ..(*call.caller).clone()
        });
        let bytes = object_size(&arguments);
        let admitted = policy::admit(Call { name, arguments, bytes, caller }).ok()?;
        let (bound, _) = validation::bind(admitted).ok()?;
        let is_needed = bound.confirm.is_none() && confirmation::is_needed(&bound);
        let shown = bound.caller.audit_arguments.get().unwrap_or_default();
        is_needed.then(|| format!("{} {shown}", bound.operation.row().id))
    });
    needed.collect()
}
