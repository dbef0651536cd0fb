//! The values of an enum.

use std::collections::HashMap;

use crate::model::Shape;
use crate::problem::Problem;
use crate::report::Report;
use crate::source::Place;

/// Keeps the values that are not empty and differ from those before; reports the others.
pub(super) fn enumeration(values: Vec<(&str, Place)>, report: &mut Report) -> Shape {
    let mut kept: Vec<String> = Vec::new();
    let mut variants: HashMap<String, &str> = HashMap::new();
    for (value, place) in values {
        let variant = crate::names::variant_name(value);
        if value.trim().is_empty() {
            report.push(Problem::error(place, "an enum value is empty"));
        } else if let Some(other) = variants.get(&variant) {
            let message = if *other == value {
                format!("the enum value `{value}` is given twice")
            } else {
                format!("the enum values `{other}` and `{value}` are both `{variant}` in Rust")
            };
            report.push(Problem::error(place, message));
        } else {
            variants.insert(variant, value);
            kept.push(value.to_owned());
        }
    }
    if kept.is_empty() { Shape::Json } else { Shape::Enum(kept) }
}
