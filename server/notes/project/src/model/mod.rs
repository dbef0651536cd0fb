//! What entities are made of.

mod entity;
mod field;
mod id;
mod kind;
mod reading;
mod status;
mod value;

pub use entity::Entity;
pub use field::Field;
pub use id::{EntityId, InvalidId};
pub use kind::EntityKind;
pub use reading::Problem;
pub use status::{Priority, Status};

pub(crate) use reading::{Reading, new_entity, read, with_properties};
pub(crate) use value::{FieldValue, Misfit, format_time, join_alternatives};
