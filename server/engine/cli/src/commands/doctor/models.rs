//! The language models of the configuration: whether each answers, and what is said about conversations.

use futures::future::join_all;

use crate::commands::serve;
use crate::config::Config;
use crate::program::{Program, in_runtime};
use toolwrit_chat::converse::{check_model, check_names};
use toolwrit_core::diagnosis::Check;
use toolwrit_core::policy::{Choice, Policy};

pub(super) fn models(program: &Program) -> Vec<Check> {
    // An invalid file is the result of another check.
    let settings = serve::configuration(program).unwrap_or_else(|_| Config::default()).chat();
    let policy = Policy::new(program.listed(), &Choice::default());
    let mut checks = policy.map(|policy| check_names(&settings, &policy)).unwrap_or_default();
    let tried = async {
        let models = settings.models.iter().map(|(name, table)| check_model(name, table));
        Ok(join_all(models).await)
    };
    checks.extend(in_runtime(1, tried).unwrap_or_default());
    checks
}
