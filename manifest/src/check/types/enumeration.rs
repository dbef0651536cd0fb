//! The values of an enum.

use std::collections::HashMap;

use crate::check::text;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{EnumValue, Shape};
use crate::raw::RawEnum;

/// The values of the long form.
pub(in crate::check) fn described(values: &RawEnum, report: &mut Report) -> Shape {
    let values = values.0.iter().map(|value| {
        let description = text::description(value.description.as_ref(), report);
        (EnumValue { name: value.name.value.clone(), description }, value.name.place)
    });
    let values = values.collect();
    enumeration(values, report)
}

/// Values without descriptions.
pub(in crate::check) fn plain(values: Vec<(&str, Place)>, report: &mut Report) -> Shape {
    let values = values.into_iter().map(|(value, place)| (EnumValue::plain(value), place));
    enumeration(values.collect(), report)
}

/// Keeps the values that are not empty and differ from those before; reports the others.
fn enumeration(values: Vec<(EnumValue, Place)>, report: &mut Report) -> Shape {
    let mut kept: Vec<EnumValue> = Vec::new();
    let mut variants: HashMap<String, String> = HashMap::new();
    for (value, place) in values {
        let name = &value.name;
        let variant = crate::rust_names::variant_name(name);
        if name.trim().is_empty() {
            report.push(Problem::error(place, "an enum value is empty"));
        } else if let Some(other) = variants.get(&variant) {
            let message = if other == name {
                format!("the enum value `{name}` is given twice")
            } else {
                format!("the enum values `{other}` and `{name}` are both `{variant}` in Rust")
            };
            report.push(Problem::error(place, message));
        } else {
            variants.insert(variant, name.clone());
            kept.push(value);
        }
    }
    if kept.is_empty() { Shape::Json } else { Shape::Enum(kept) }
}
