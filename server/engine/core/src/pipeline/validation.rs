//! Checks the arguments of a call. A fault carries the signature and a valid example.

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::argument_schema::ArgumentSchema;
use crate::arguments;
use crate::arguments::recorded::redacted;
use crate::arguments::value::{ArgValue, ArgValues};
use crate::authority::{Operation, OperationHandle, instances};
use crate::call::held::Held;
use crate::call::{Admitted, Caller, Validated};
use crate::dialogue::confirmed::Confirmed;
use crate::fault::{Fault, Result};
use crate::result::shaping::Shaping;
use toolwrit_text::nearest;

/// Returns the call with checked arguments, and how to shape its result.
///
/// # Errors
/// `VALIDATION_ERROR` if the arguments are not valid.
pub(super) async fn validate(admitted: Admitted) -> Result<(Validated, Shaping)> {
    let Admitted { operation, arguments, caller, .. } = admitted;
    let row = operation.row();
    let checked = match operation.argument_schema() {
        Some(schema) => {
            let selectable = operation.selectable();
            by_schema(row, schema, selectable, arguments, &caller.cancellation).await
        }
        None => by_fields(row, arguments),
    };
    let (mut arguments, confirm, shaping) = checked.map_err(|fault| {
        naming_current(row, fault).of_operation(&row.id).teaching(&row.signature, row.example())
    })?;
    let instance = select_instance(&operation, &caller, &mut arguments)
        .map_err(|fault| fault.of_operation(&row.id))?;
    let selected = selected_name(&operation, instance);
    caller.audit_arguments.set(redacted(&row.inputs, &arguments), selected);
    shaping.adjust_arguments(row, &mut arguments);
    let (confirmed, keyed, held) = (Confirmed::default(), None, Held::default());
    let validated =
        Validated { operation, arguments, instance, confirm, keyed, held, confirmed, caller };
    Ok((validated, shaping))
}

/// Finds the instance of the application that a call means, and asks its policy. The arguments name it afterwards, so that the
/// record, the confirmation and the cache of two instances differ.
fn select_instance(
    operation: &OperationHandle,
    caller: &Caller,
    arguments: &mut ArgValues,
) -> Result<usize> {
    let (instances, row) = (operation.authority().instances(), operation.row());
    if instances.is_empty() {
        return Ok(0);
    }
    let parameter = instances::parameter(operation.authority().tables(), row);
    let input = parameter.and_then(|name| row.input(name));
    let named = match input.map(|at| arguments.take_at(at)) {
        Some(ArgValue::String(name)) => Some(name),
        _ => None,
    };
    let selected = caller.policy().select_instance(operation.index(), named.as_deref())?;
    if let (Some(at), Some(instance)) = (input, instances.get(selected)) {
        arguments.put_at(at, ArgValue::String(instance.name.clone()));
    }
    Ok(selected)
}

/// The name of the instance that a call selects; `None` if its operation has nothing to do with instances.
fn selected_name(operation: &OperationHandle, instance: usize) -> Option<String> {
    let authority = operation.authority();
    instances::parameter(authority.tables(), operation.row())?;
    authority.instances().get(instance).map(|instance| instance.name.clone())
}

/// Names the current parameter in a fault that refuses an older one, which the call of a current name cannot have.
fn naming_current(operation: &Operation, fault: Fault) -> Fault {
    let Some(older) = fault.path().and_then(|path| path.strip_prefix('/')) else { return fault };
    let mut args = operation.aliases.iter().flat_map(|alias| &alias.mapping.args);
    let is_declared = operation.input(older).is_some();
    let Some((older, now)) = args.find(|(name, _)| name == older).filter(|_| !is_declared) else {
        return fault;
    };
    match now.as_slice() {
        [name] => {
            let hint = format!("`{older}` is an older name. Rename it to `{name}`.");
            fault.did_you_mean(vec![name.clone()]).hinting(hint)
        }
        keys => {
            let place = format!("/{}", keys.join("/"));
            let hint = format!("`{older}` is an older name. Put its value at `{place}`.");
            fault.did_you_mean(vec![place]).hinting(hint)
        }
    }
}

/// The checked arguments, and separately the confirmation token, which is not part of the idempotency key or
/// the audit record, and how to shape the result.
type Checked = (ArgValues, Option<String>, Shaping);

fn by_fields(operation: &Operation, arguments: Map<String, Value>) -> Result<Checked> {
    let mut arguments = arguments::bind(&operation.inputs, arguments)?;
    let at = if operation.confirm { operation.input(Operation::CONFIRM) } else { None };
    let confirm = match at.map(|at| arguments.take_at(at)) {
        Some(ArgValue::String(token)) => Some(token),
        _ => None,
    };
    let shaping = Shaping::parse(operation, &arguments)?;
    Ok((arguments, confirm, shaping))
}

/// Checks the arguments of a dynamic operation, which has no field table.
async fn by_schema(
    operation: &Operation,
    schema: &ArgumentSchema,
    selectable: &[String],
    mut arguments: Map<String, Value>,
    cancellation: &CancellationToken,
) -> Result<Checked> {
    let confirm = if operation.confirm { arguments.shift_remove(Operation::CONFIRM) } else { None };
    let confirm = match confirm {
        None => None,
        Some(Value::String(token)) => Some(token),
        Some(other) => {
            let fault = Fault::validation("`confirm` is not a string.").got(other);
            return Err(fault.with_path(format!("/{}", Operation::CONFIRM)).expecting("string"));
        }
    };
    let fields = if operation.select { arguments.shift_remove(Operation::FIELDS) } else { None };
    let fields = fields.map(|fields| selected(fields, selectable)).transpose()?;
    Ok((
        ArgValues::whole(schema.check(arguments, cancellation).await?),
        confirm,
        Shaping::selecting(fields),
    ))
}

/// Returns the fields that a call selects. The list may be given as JSON text.
fn selected(given: Value, selectable: &[String]) -> Result<Vec<String>> {
    let parsed = given.as_str().and_then(|text| serde_json::from_str(text).ok());
    let names: Option<Vec<String>> = serde_json::from_value(parsed.unwrap_or(given.clone())).ok();
    let wrong = |names: &Vec<String>| names.iter().find(|name| !selectable.contains(name)).cloned();
    let fault = match names {
        Some(names) => match wrong(&names) {
            None => return Ok(names),
            Some(name) => Fault::validation(format!("`{name}` is not a field of the result."))
                .did_you_mean(nearest::closest(&name, selectable.iter().map(String::as_str))),
        },
        None => Fault::validation("`fields` is not a list of names.").got(given),
    };
    Err(fault.with_path(format!("/{}", Operation::FIELDS)).expecting(selectable.join("|")))
}
