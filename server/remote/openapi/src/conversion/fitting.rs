//! Types that can be sent, and are small enough for models and clients.

use crate::conversion::types::Types;
use crate::document::node::Node;
use crate::language::shape::{Body, Field, Shape};
use crate::losses::{Kind, Losses};

/// Levels of a declared type.
const MOST_LEVELS: usize = 10;
/// Bytes of the schema of a declared type: models read what is in it.
const MOST_BYTES: usize = 6 * 1024;
/// Bytes of the schema of an object around a list, whose items are what a caller asks for.
const MOST_BYTES_OF_LIST: usize = 12 * 1024;

impl Types {
    /// Makes the values of a field such that a request can be built of them.
    pub(crate) fn loosen(&self, field: &mut Field, node: &Node<'_>, losses: &mut Losses) {
        const MOST_NAMES: usize = 8;
        let shape = self.declared.to_sendable(field);
        if shape == field.shape {
            return;
        }
        let message = "its fields have other names in the manifest, which cannot be changed back here: any object";
        losses.add(Kind::Schema, &node.location(), message);
        if let Some(id) = field.shape.declared_type()
            && let Body::Record(inner) = &self.declared.0[id].body
        {
            let names: Vec<&str> =
                inner.iter().take(MOST_NAMES).map(|one| one.original.as_str()).collect();
            let rest = if inner.len() > MOST_NAMES { ", …" } else { "" };
            let listed = format!("Fields: {}{rest}.", names.join(", "));
            let texts: Vec<String> = field.description.take().into_iter().chain([listed]).collect();
            field.description = Some(texts.join(" "));
        }
        field.shape = shape;
    }

    /// Replaces the deepest and the largest fields until the type is small enough.
    pub(super) fn shrink_fields(&self, fields: &mut [Field], node: &Node<'_>, losses: &mut Losses) {
        for field in fields.iter_mut() {
            if self.declared.estimate_size(&field.shape).1 >= MOST_LEVELS {
                let message =
                    format!("the field `{}` is nested too deeply: any value", field.original);
                losses.add(Kind::Schema, &node.location(), message);
                field.shape = Shape::Json;
            }
        }
        let lists =
            fields.iter().filter(|field| matches!(field.shape, Shape::Array { .. })).count();
        let most = if lists == 1 { MOST_BYTES_OF_LIST } else { MOST_BYTES };
        while self.declared.estimate_fields_size(fields).0 > most {
            let size = |field: &&mut Field| self.declared.estimate_size(&field.shape).0;
            let Some(largest) = fields.iter_mut().max_by_key(size) else { return };
            if largest.shape == Shape::Json {
                return;
            }
            let message = format!("the field `{}` is too large: any value", largest.original);
            losses.add(Kind::Schema, &node.location(), message);
            largest.shape = Shape::Json;
        }
    }
}
