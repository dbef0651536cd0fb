//! The operations that the engine carries out itself, whatever authority binds them: a file for each group. They
//! see what the policy of their caller shows.

mod batch;
mod cookbooks;
mod introspect;
mod metrics;
mod roles;

use std::sync::{Arc, Weak};

use serde_json::{Map, Value, json};

use crate::audit::call_totals::CallTotals;
use crate::audit::savings::Savings;
use crate::authority::Builtin;
use crate::call::Caller;
use crate::call::calls::CallRunner;
use crate::call::context::Context;
use crate::fault::{Fault, Result};
use crate::toolset::Setup;

pub use introspect::{introspection, summary};

/// What the engine's own operations use.
pub(crate) struct Builtins {
    setup: Arc<Setup>,
    calls: CallTotals,
    savings: Savings,
    /// The pipeline, which owns this.
    runner: Weak<dyn CallRunner>,
}

impl Builtins {
    pub(crate) fn new(
        setup: Arc<Setup>,
        calls: CallTotals,
        savings: Savings,
        runner: Weak<dyn CallRunner>,
    ) -> Self {
        Self { setup, calls, savings, runner }
    }

    /// Runs an operation. `caller` makes the calls of a batch.
    pub(crate) async fn run(
        &self,
        builtin: Builtin,
        cx: &Context,
        caller: &Caller,
        arguments: Map<String, Value>,
    ) -> Result<Value> {
        let policy = &*cx.caller.policy;
        let named = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default();
        match builtin {
            Builtin::Introspect => {
                let surface = cx.surface().map_or("direct", |surface| surface.as_str());
                Ok(introspection(
                    policy,
                    summary(policy, surface, None),
                    self.setup.collect_facts(policy),
                ))
            }
            Builtin::ListRoles => Ok(roles::list(policy)),
            Builtin::LoadRole => roles::load(policy, named("role")),
            Builtin::ListCookbooks => Ok(cookbooks::list(policy)),
            Builtin::GetCookbook => cookbooks::get(policy, named("name")),
            Builtin::BatchGet => {
                let runner = self.runner.upgrade();
                let runner = runner.ok_or_else(|| Fault::cancelled("The server is stopping."))?;
                batch::run(&runner, caller, &arguments).await
            }
            Builtin::Metrics => {
                Ok(metrics::report(policy, &self.calls, &self.savings, cx.principal()).await)
            }
            Builtin::SeedTestData => {
                let created = self.setup.create_sample_data(cx).await?;
                Ok(json!({ "created": created }))
            }
        }
    }
}
