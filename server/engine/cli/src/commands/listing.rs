//! What commands that list or search share: an endpoint without handlers, and operations as rows.

use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::output::table::{Align, table_warning_of};
use crate::program::{Program, in_runtime, invocation};
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::authority::{Authority, Effect, Operation};
use toolwrit_core::call::context::Context;
use toolwrit_core::caller::session_calls::MostCalls;
use toolwrit_core::fault::Fault;
use toolwrit_core::pipeline::CallSettings;
use toolwrit_core::policy::Policy;
use toolwrit_core::result::running::RunningHandler;
use toolwrit_core::toolset::Toolset;
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
pub(crate) fn engine(program: &Program) -> Arc<Engine> {
    Engine::new(Arc::new(Unopened(program.listed())), &unlimited(), Recorder::default())
}

/// No limit of calls: nothing is called.
fn unlimited() -> CallSettings {
    CallSettings { session_calls: Some(MostCalls::Any), ..CallSettings::default() }
}

/// The surface options of commands that list operations: flat.
pub(crate) const LOOK: SurfaceOptions = SurfaceOptions {
    kind: SurfaceChoice::Flat,
    split: Split::None,
    profile: Profile::Portable,
    legacy: false,
    command: None,
    pins: &[],
};

/// The time that providers have to say what they offer.
pub(crate) const EXAMINATION_TIME: Duration = Duration::from_secs(5);

/// Adds the application's flags to a command that lists operations, if providers may add operations.
pub(crate) fn with_options(program: &Program, command: Command) -> Command {
    if program.tables().joining.is_empty() { command } else { (program.options)(command) }
}

/// An endpoint that can list and search, but not call operations. Opens the application if providers may add
/// operations and the flags say which one to open.
///
/// # Errors
/// If the application cannot be opened.
pub(crate) fn endpoint(
    program: &Program,
    matches: &ArgMatches,
    policy: &Policy,
) -> Result<Endpoint, Exit> {
    let engine = known(program, matches)?;
    let policy = policy.over(&engine.authority());
    let options = SurfaceOptions { command: Some(invocation()), ..LOOK };
    Ok(Endpoint::new(engine, policy, options))
}

/// The same as an engine. Its endpoints need policies over its authority.
///
/// # Errors
/// If the application cannot be opened.
pub(crate) fn known(program: &Program, matches: &ArgMatches) -> Result<Arc<Engine>, Exit> {
    if names_application(program, matches) {
        examined(program, matches)
    } else {
        Ok(engine(program))
    }
}

/// The engine of an application that was opened, and closed after its providers had said what they offer. The
/// tables and the state of the providers remain.
///
/// # Errors
/// If the application cannot be opened.
pub(crate) fn examined(program: &Program, matches: &ArgMatches) -> Result<Arc<Engine>, Exit> {
    in_runtime(1, async {
        let app = program.open(matches).await?;
        let engine = Engine::new(app, &unlimited(), Recorder::default());
        engine.examined_within(EXAMINATION_TIME).await;
        engine.close().await;
        Ok(engine)
    })
}

/// Whether providers may add operations to an application, and the flags say which one to open.
pub(crate) fn names_application(program: &Program, matches: &ArgMatches) -> bool {
    !program.tables().joining.is_empty() && (program.is_named)(matches)
}

/// Printed instead of an empty table.
pub(crate) const NOTHING: &str = "Nothing matches.";

/// A table of operations.
pub(crate) fn rows<'a>(operations: impl IntoIterator<Item = &'a Operation>) -> String {
    let columns = [("operation", Align::Left), ("effect", Align::Left), ("summary", Align::Left)];
    let operations = operations.into_iter();
    let rows =
        operations.map(|o| [&o.id, o.effect.as_str(), &o.summary].map(str::to_owned).to_vec());
    operations_table(&columns, &rows.collect::<Vec<_>>())
}

/// A table of operations, in which `destroy` in the column `effect` is coloured.
pub(crate) fn operations_table(columns: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    table_warning_of(columns, rows, Some(("effect", Effect::Destroy.as_str())))
}

/// An operation as JSON.
pub(crate) fn row(operation: &Operation) -> Value {
    json!({
        "id": operation.id,
        "effect": operation.effect.as_str(),
        "summary": operation.summary,
        "signature": operation.signature,
    })
}
