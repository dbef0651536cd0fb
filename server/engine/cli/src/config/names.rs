//! The names in the file that the policy must have: of focus modes, roles and operations.

use std::ffi::OsString;

use toml::Spanned;

use super::mistake::Mistake;
use toolwrit_core::authority::Authority;
use toolwrit_core::policy::{Choice, Policy, Selector};

/// Returns a mistake for each value of a flag, given with the flag's id, with names that the authority does not have.
pub(super) fn unknown<'a>(
    values: impl Iterator<Item = (&'a str, &'a Spanned<OsString>)>,
    authority: &Authority,
) -> Vec<Mistake> {
    let mistakes = values.filter_map(|(id, value)| {
        let text = value.get_ref().to_string_lossy().into_owned();
        if id == "pin" {
            let unknown = Selector::parse_operation(authority.tables(), &text).err()?;
            return Some(Mistake { at: value.span(), what: unknown.to_string() });
        }
        let choice = match id {
            "focus" => Choice { focus: Some(text), ..Choice::default() },
            "role" => Choice { role: Some(text), ..Choice::default() },
            "tools" | "exclude" => {
                Choice { only: text.split(',').map(str::to_owned).collect(), ..Choice::default() }
            }
            _ => return None,
        };
        let unknown = Policy::new(authority.clone(), &choice).err()?;
        Some(Mistake { at: value.span(), what: unknown.to_string() })
    });
    mistakes.collect()
}
