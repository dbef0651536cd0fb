//! What entities are made of.

mod alternatives;
mod checklist;
mod entity;
mod field;
mod id;
mod kind;
mod properties;
mod reading;
mod status;
mod value;
mod words;

pub use checklist::{Criterion, InlineTask};
pub use entity::Entity;
pub use field::Field;
pub use id::{EntityId, InvalidId};
pub use kind::EntityKind;
pub use reading::Problem;
pub use status::{Priority, Status, StatusKind};

pub(crate) use alternatives::join_alternatives;
pub(crate) use checklist::write_criteria;
pub(crate) use id::Prefix;
pub(crate) use reading::{
    Reading, follow_name, link_again, new_entity, read, read_text, unreadable, with_properties,
};
pub(crate) use value::{FieldValue, Interpreter, Misfit, format_time, link_target};
pub(crate) use words::{FILE, FOLDER, LIMIT, Words};
