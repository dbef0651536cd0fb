//! Checks the arguments of a call. A fault carries the signature and a valid example.

use serde_json::{Map, Value};

use crate::arg_value::{ArgValue, ArgValues};
use crate::argument_schema::ArgumentSchema;
use crate::arguments;
use crate::authority::Operation;
use crate::call::{Admitted, Bound};
use crate::confirmed::Confirmed;
use crate::fault::{Fault, Result};
use crate::held::Held;
use crate::recorded_arguments::redacted;
use crate::shaping::Shaping;

/// Returns the call with checked arguments, and how to shape its result.
///
/// # Errors
/// `VALIDATION_ERROR` if the arguments are not valid.
pub(super) fn bind(admitted: Admitted) -> Result<(Bound, Shaping)> {
    let Admitted { operation, arguments, caller, .. } = admitted;
    let row = operation.row();
    let bound = match operation.argument_schema() {
        Some(schema) => by_schema(row, schema, arguments),
        None => by_fields(row, arguments),
    };
    let (mut arguments, confirm, shaping) = bound
        .and_then(|(arguments, confirm)| {
            let shaping = Shaping::of(row, &arguments)?;
            Ok((arguments, confirm, shaping))
        })
        .map_err(|fault| fault.of(row.id).teaching(row.signature, row.example()))?;
    caller.audit_arguments.set(redacted(row.inputs, &arguments));
    shaping.adjust_arguments(row, &mut arguments);
    let (confirmed, keyed, held) = (Confirmed::default(), None, Held::default());
    let bound = Bound { operation, arguments, confirm, keyed, held, confirmed, caller };
    Ok((bound, shaping))
}

/// The checked arguments, and separately the confirmation token, which is not part of the idempotency key or
/// the audit record.
type Checked = (ArgValues, Option<String>);

fn by_fields(operation: &Operation<'_>, arguments: Map<String, Value>) -> Result<Checked> {
    let mut arguments = arguments::bind(operation.inputs, arguments)?;
    let at = if operation.confirm { operation.input(Operation::CONFIRM) } else { None };
    let confirm = match at.map(|at| arguments.take_at(at)) {
        Some(ArgValue::String(token)) => Some(token),
        _ => None,
    };
    Ok((arguments, confirm))
}

/// Checks the arguments of a dynamic operation, which has no field table.
fn by_schema(
    operation: &Operation<'_>,
    schema: &ArgumentSchema,
    mut arguments: Map<String, Value>,
) -> Result<Checked> {
    let confirm = if operation.confirm { arguments.shift_remove(Operation::CONFIRM) } else { None };
    let confirm = match confirm {
        None => None,
        Some(Value::String(token)) => Some(token),
        Some(other) => {
            let fault = Fault::validation("`confirm` is not a string.").got(other);
            return Err(fault.at(format!("/{}", Operation::CONFIRM)).expecting("string"));
        }
    };
    Ok((ArgValues::whole(schema.check(arguments)?), confirm))
}
