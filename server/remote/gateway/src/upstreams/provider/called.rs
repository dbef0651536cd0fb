//! What a call needs to know of a tool.

use secrecy::ExposeSecret as _;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolwrit_core::argument_schema::ArgumentSchema;
use toolwrit_core::authority::ArgumentMapping;
use toolwrit_core::call::context::Context;
use toolwrit_core::fault::Result;
use toolwrit_upstreams::Tool;

use crate::upstreams::fault::cancelled;
use crate::upstreams::operation::{has_structured_result, is_idempotent};
use crate::upstreams::settings::{FixedSecrets, UpstreamSettings, shown};

/// An approved tool, as its calls need it.
pub(super) struct Called {
    /// Its name in the upstream.
    pub(super) tool: String,
    pub(super) is_idempotent: bool,
    pub(super) has_structured_result: bool,
    mapping: ArgumentMapping,
    /// What the arguments behind those of callers must fit; `None` if they are the same, and so checked.
    schema: Option<ArgumentSchema>,
}

impl Called {
    /// `None` if the schema of the tool cannot be used.
    pub(super) fn new(tool: &Tool, settings: &UpstreamSettings) -> Option<Self> {
        let said = settings.tool(tool.name());
        let changes = said.filter(|said| !said.arguments.is_empty());
        let own = tool.input_schema().and_then(Value::as_object);
        let schema = match changes {
            Some(_) => Some(ArgumentSchema::new(own?).ok()?),
            None => None,
        };
        Some(Self {
            tool: tool.name().to_owned(),
            is_idempotent: is_idempotent(settings, tool),
            has_structured_result: has_structured_result(tool.json()),
            mapping: changes.map(shown::mapping).unwrap_or_default(),
            schema,
        })
    }

    /// Returns the arguments that the tool gets for those of a caller.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` if they do not fit the schema of the tool, and `CANCELLED`.
    pub(super) async fn arguments(
        &self,
        given: Map<String, Value>,
        fixed: &FixedSecrets,
        cx: &Context,
    ) -> Result<Map<String, Value>> {
        let Some(schema) = &self.schema else { return Ok(given) };
        let mut arguments = self.mapping.apply(given);
        for (name, secret) in fixed.get(&self.tool).into_iter().flatten() {
            arguments.insert(name.clone(), secret.expose_secret().into());
        }
        let stop = CancellationToken::new();
        tokio::select! {
            biased;
            checked = schema.check(arguments, &stop) => checked,
            () = cx.cancelled() => Err(cancelled()),
        }
    }
}
