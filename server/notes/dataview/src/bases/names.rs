//! Names, whose case does not matter where no name is equal.

use indexmap::IndexMap;

use crate::value::Name;

/// The position of a name, or else of one that differs only in case.
pub(super) fn find<'a>(known: impl Iterator<Item = &'a str> + Clone, name: &str) -> Option<usize> {
    let exact = known.clone().position(|known| known == name);
    exact.or_else(|| known.into_iter().position(|known| is_same_in_any_case(known, name)))
}

/// The entry of a name, or else of one that differs only in case.
pub(super) fn get<'a, T>(map: &'a IndexMap<Name, T>, name: &str) -> Option<(usize, &'a T)> {
    if let Some((index, _, value)) = map.get_full(name) {
        return Some((index, value));
    }
    let mut entries = map.iter().enumerate();
    let found = entries.find(|(_, (known, _))| is_same_in_any_case(known, name));
    found.map(|(index, (_, value))| (index, value))
}

/// Whether two names differ at most in case.
pub(super) fn is_same_in_any_case(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || (!a.is_ascii() && a.to_lowercase() == b.to_lowercase())
}
