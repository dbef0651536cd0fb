//! What commands that list or search share: an endpoint without handlers, and operations as rows.

use std::sync::Arc;

use serde_json::{Value, json};

use super::program::{Program, program_name};
use super::table::{Align, table_warning_of};
use toolwrit_core::arg_value::ArgValues;
use toolwrit_core::authority::{Authority, Effect, Operation};
use toolwrit_core::context::Context;
use toolwrit_core::fault::Fault;
use toolwrit_core::pipeline::CallSettings;
use toolwrit_core::policy::Policy;
use toolwrit_core::recorder::Recorder;
use toolwrit_core::toolset::{RunningHandler, Toolset};
use toolwrit_mcp::endpoint::{Endpoint, Engine};
use toolwrit_mcp::surface::{Profile, Split, SurfaceChoice, SurfaceOptions};

/// An authority without handlers, so that listing opens no application.
struct Unopened(Authority);

impl Toolset for Unopened {
    fn authority(&self) -> Authority {
        self.0.clone()
    }

    fn call<'a>(&'a self, _: usize, _: &'a Context, _: ArgValues) -> RunningHandler<'a> {
        let none =
            std::future::ready(Err::<Value, _>(Fault::internal("The command has no handlers.")));
        RunningHandler::new(Box::new(none))
    }
}

/// An engine that can list and search, but not call operations.
pub(super) fn engine(program: &Program) -> Arc<Engine> {
    Engine::new(
        Arc::new(Unopened((program.offered)())),
        &CallSettings::default(),
        Recorder::default(),
    )
}

/// The surface options of commands that list operations: flat.
pub(super) const LOOK: SurfaceOptions = SurfaceOptions {
    kind: SurfaceChoice::Flat,
    split: Split::None,
    profile: Profile::Portable,
    legacy: false,
    command: None,
};

/// An endpoint that can list and search, but not call operations.
pub(super) fn endpoint(program: &Program, policy: &Policy) -> Endpoint {
    endpoint_of(program, policy, LOOK)
}

/// The same with another surface.
pub(super) fn endpoint_of(program: &Program, policy: &Policy, options: SurfaceOptions) -> Endpoint {
    let engine = engine(program);
    let policy = policy.over(&engine.authority());
    Endpoint::new(engine, policy, SurfaceOptions { command: Some(program_name()), ..options })
}

/// Printed instead of an empty table.
pub(super) const NOTHING: &str = "Nothing matches.";

/// A table of operations.
pub(super) fn rows<'a>(operations: impl IntoIterator<Item = &'a Operation<'a>>) -> String {
    let columns = [("operation", Align::Left), ("effect", Align::Left), ("summary", Align::Left)];
    let operations = operations.into_iter();
    let rows = operations.map(|o| [o.id, o.effect.as_str(), o.summary].map(str::to_owned).to_vec());
    operations_table(&columns, &rows.collect::<Vec<_>>())
}

/// A table of operations, in which `destroy` in the column `effect` is coloured.
pub(super) fn operations_table(columns: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    table_warning_of(columns, rows, Some(("effect", Effect::Destroy.as_str())))
}

/// An operation as JSON.
pub(super) fn row(operation: &Operation<'_>) -> Value {
    json!({
        "id": operation.id,
        "effect": operation.effect.as_str(),
        "summary": operation.summary,
        "signature": operation.signature,
    })
}
