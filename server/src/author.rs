//! On whose behalf the vault is changed.

use toolwrit::Context;
use toolwrit_vault::Author;

/// On whose behalf a call changes the vault.
pub(crate) fn author(cx: &Context) -> Author {
    let principal = cx.principal().as_str().to_owned();
    Author { principal, operation: cx.operation().to_owned() }
}
