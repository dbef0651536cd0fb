//! Which of two notes with one id is the original.

use jiff::Timestamp;

use crate::model::Entity;

/// Whether an entity is the original, and another one with the same id a copy: it was created before, or the other
/// has its name as Obsidian copies it.
pub(crate) fn is_original(entity: &Entity, other: &Entity) -> bool {
    let by_time = |a: Option<Timestamp>, b: Option<Timestamp>| {
        a.zip(b).filter(|(a, b)| a != b).map(|(a, b)| a < b)
    };
    by_time(entity.created, other.created)
        .or_else(|| is_copy_name(other, entity).then_some(true))
        .or_else(|| is_copy_name(entity, other).then_some(false))
        .or_else(|| by_time(entity.file_created, other.file_created))
        .unwrap_or(entity.path <= other.path)
}

/// Whether the name of a note is that of another one with a number, as Obsidian names copies.
fn is_copy_name(copy: &Entity, original: &Entity) -> bool {
    let number = copy.path.stem().strip_prefix(original.path.stem());
    let number = number.and_then(|rest| rest.strip_prefix(' '));
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
