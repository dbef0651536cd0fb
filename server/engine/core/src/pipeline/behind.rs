//! The arguments of the call behind a call: what the cache and idempotency keys compare.

use crate::arguments::value::ArgValues;
use crate::authority::OperationHandle;

/// Returns the arguments that the provider of an operation makes of these.
pub(super) fn behind(operation: &OperationHandle, arguments: &ArgValues) -> ArgValues {
    match operation.mapping() {
        Some(mapping) => {
            ArgValues::whole(mapping.apply(arguments.clone().into_map(&operation.row().inputs)))
        }
        None => arguments.clone(),
    }
}
