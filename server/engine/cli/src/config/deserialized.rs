//! Tables whose entries are those of a type.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use super::mistake::Mistake;

/// Reads a table. Adds an error for each of its entries that is wrong.
pub(super) fn parsed<T: for<'de> Deserialize<'de>>(
    value: &Spanned<DeValue<'_>>,
    mistakes: &mut Vec<Mistake>,
) -> Option<T> {
    let mut left = value.clone();
    let mut is_wrong = false;
    loop {
        let error = match T::deserialize(ValueDeserializer::from(left.clone())) {
            Ok(table) => return (!is_wrong).then_some(table),
            Err(error) => error,
        };
        let at = error.span().unwrap_or_else(|| value.span());
        let is_entry = removed(left.get_mut(), &at);
        // Without an entry, a table may lack what an earlier mistake was about.
        if is_entry || !is_wrong {
            mistakes.push(Mistake { at, what: error.message().to_owned() });
        }
        if !is_entry {
            return None;
        }
        is_wrong = true;
    }
}

/// Removes the entry at this place from a table, or from a table within it. Returns whether there is one.
fn removed(value: &mut DeValue<'_>, at: &Range<usize>) -> bool {
    let DeValue::Table(table) = value else { return false };
    if table.iter_mut().any(|(_, inner)| removed(inner.get_mut(), at)) {
        return true;
    }
    let has = |span: Range<usize>| span.start <= at.start && at.end <= span.end;
    let found = table.iter().find(|(key, value)| has(key.span()) || has(value.span()));
    let Some(key) = found.map(|(key, _)| key.clone()) else { return false };
    table.remove(&key).is_some()
}
