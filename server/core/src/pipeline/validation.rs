//! Parses the arguments once. A failure teaches: it carries the signature and a valid example.

use crate::arguments;
use crate::authority::Operation;
use crate::call::{Admitted, Bound};
use crate::confirmed::Confirmed;
use crate::fault::Result;
use crate::held::Held;
use crate::recorded_arguments::redacted;
use crate::shaping::Shaping;
use crate::slot::{Slot, Slots};

/// The call with its arguments, and how its result is shaped.
///
/// # Errors
/// `VALIDATION_ERROR` when the arguments do not fit.
pub(super) fn bind(admitted: Admitted) -> Result<(Bound, Shaping)> {
    let Admitted { operation, arguments, caller, .. } = admitted;
    let row = operation.row();
    let (mut arguments, shaping) = arguments::bind(row.inputs, arguments)
        .and_then(|arguments| {
            let shaping = Shaping::of(row, &arguments)?;
            Ok((arguments, shaping))
        })
        .map_err(|fault| fault.of(row.id).teaching(row.signature, row.example()))?;
    // The token is no part of what the call means: its idempotency key and its record leave it out.
    let confirm = if row.confirm { take_confirm(row, &mut arguments) } else { None };
    caller.audit_arguments.set(redacted(row.inputs, &arguments));
    shaping.tell(row, &mut arguments);
    let (confirmed, keyed, held) = (Confirmed::default(), None, Held::default());
    let bound = Bound { operation, arguments, confirm, keyed, held, confirmed, caller };
    Ok((bound, shaping))
}

fn take_confirm(operation: &Operation<'_>, arguments: &mut Slots) -> Option<String> {
    let at = operation.input(Operation::CONFIRM)?;
    match arguments.take_at(at) {
        Slot::String(token) => Some(token),
        _ => None,
    }
}
