//! Sends calls as spans to an OpenTelemetry collector over OTLP (protobuf over HTTP). The [standard
//! variables] configure it; without an endpoint among them, nothing is sent.
//!
//! The SDK sends on a thread of its own, so that its HTTP client is ureq, behind a trait with one method.
//!
//! [standard variables]: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{Request, Response};
use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _,
    TraceFlags, TraceId, TraceState, Tracer as _,
};
use opentelemetry::{Context, KeyValue, global};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;

use crate::outgoing;
use toolwrit_core::audit::record::Record;
use toolwrit_core::audit::recorder::{OpenSpan, Tracer};
use toolwrit_core::caller::trace_parent::TraceParent;

/// At least one of these variables must be set.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
/// The variable that turns the exporter off.
const DISABLED: &str = "OTEL_SDK_DISABLED";
/// Time to deliver one batch.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(10);
/// The instrumentation scope, as backends show it.
const SCOPE: &str = env!("CARGO_PKG_NAME");

/// Sends spans. Dropping it sends the remaining ones.
pub struct Exporter(Option<SdkTracerProvider>);

impl Exporter {
    /// Starts sending spans in the name of `service` if an endpoint is configured.
    ///
    /// # Errors
    /// If a variable has an invalid value.
    pub fn start(service: &'static str, version: &'static str) -> Result<Self, InvalidVariables> {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_off = std::env::var(DISABLED).is_ok_and(|value| value.eq_ignore_ascii_case("true"));
        if is_off || !ENDPOINTS.iter().any(|name| is_set(name)) {
            return Ok(Self(None));
        }
        let exporter =
            SpanExporter::builder().with_http().with_http_client(OtlpClient::new()).build()?;
        let mut resource = Resource::builder();
        if !is_set("OTEL_SERVICE_NAME") {
            resource = resource.with_service_name(service);
        }
        let resource = resource.with_attribute(KeyValue::new("service.version", version)).build();
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .build();
        global::set_tracer_provider(provider.clone());
        Ok(Self(Some(provider)))
    }

    /// Returns the tracer of calls. `None` if no endpoint is configured.
    pub fn tracer(&self) -> Option<Arc<dyn Tracer>> {
        self.0.as_ref().map(|_| -> Arc<dyn Tracer> { Arc::new(CallTracer) })
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        if let Some(provider) = &self.0
            && let Err(error) = provider.shutdown()
        {
            tracing::warn!(%error, "cannot send the remaining spans");
        }
    }
}

/// The variables are invalid.
#[derive(Debug, thiserror::Error)]
#[error("cannot start the exporter of spans with the variables OTEL_*: {0}")]
pub struct InvalidVariables(#[from] ExporterBuildError);

/// Records each call as a span of the global tracer.
#[derive(Debug)]
struct CallTracer;

impl Tracer for CallTracer {
    fn begin(&self, parent: Option<TraceParent>) -> Box<dyn OpenSpan> {
        let parent = match parent {
            Some(parent) => Context::new().with_remote_span_context(context_of(parent)),
            None => Context::new(),
        };
        // A span needs a name at its start, but the operation is known later.
        let builder = SpanBuilder::from_name("execute_tool").with_kind(SpanKind::Server);
        Box::new(CallSpan(global::tracer(SCOPE).build_with_context(builder, &parent)))
    }
}

/// The span of a call, from its arrival to its answer. Attribute names are those of the [conventions]
/// for tools, or start with `toolwrit.` if there is no convention.
///
/// [conventions]: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span
#[derive(Debug)]
struct CallSpan(global::BoxedSpan);

impl OpenSpan for CallSpan {
    fn context(&self) -> Option<TraceParent> {
        parent_of(self.0.span_context())
    }

    fn end(&mut self, record: &Record) {
        let span = &mut self.0;
        if !span.is_recording() {
            return;
        }
        span.set_attribute(KeyValue::new("gen_ai.operation.name", "execute_tool"));
        if let Some(operation) = &record.operation {
            let operation = operation.row();
            // An unknown operation must not name the span: callers could create any number of names.
            span.update_name(format!("execute_tool {}", operation.id));
            span.set_attribute(KeyValue::new("gen_ai.tool.name", operation.id.clone()));
            span.set_attribute(KeyValue::new("toolwrit.effect", operation.effect.as_str()));
        }
        span.set_attribute(KeyValue::new("enduser.id", record.principal.to_string()));
        span.set_attribute(KeyValue::new("toolwrit.surface", record.surface()));
        span.set_attribute(KeyValue::new("toolwrit.role", record.role().to_owned()));
        span.set_attribute(KeyValue::new("toolwrit.focus", record.focus().to_owned()));
        span.set_attribute(KeyValue::new("toolwrit.decision", record.decision()));
        span.set_attribute(KeyValue::new("toolwrit.arguments.size", bytes(record.bytes_in)));
        span.set_attribute(KeyValue::new("toolwrit.result.size", bytes(record.bytes_out)));
        if let Some(code) = &record.failure {
            span.set_attribute(KeyValue::new("error.type", code.to_string()));
            span.set_status(Status::error(code.to_string()));
        }
        span.end();
    }
}

fn bytes(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn parent_of(span: &SpanContext) -> Option<TraceParent> {
    let trace = u128::from_be_bytes(span.trace_id().to_bytes());
    let id = u64::from_be_bytes(span.span_id().to_bytes());
    let flags = span.trace_flags().to_u8();
    span.is_valid().then_some(TraceParent { trace, span: id, flags })
}

fn context_of(parent: TraceParent) -> SpanContext {
    let (trace, span) = (TraceId::from(parent.trace), SpanId::from(parent.span));
    let flags = TraceFlags::new(parent.flags);
    SpanContext::new(trace, span, flags, true, TraceState::default())
}

/// The HTTP client of the exporter. The exporter has a thread of its own, which may block.
#[derive(Debug)]
struct OtlpClient(ureq::Agent);

impl OtlpClient {
    fn new() -> Self {
        // The exporter judges the status, and retries if appropriate.
        Self(outgoing::client(DELIVERY_TIMEOUT).http_status_as_error(false).build().into())
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = request.into_parts();
        let answer = self.0.run(Request::from_parts(head, body.to_vec()))?;
        let (head, mut body) = answer.into_parts();
        Ok(Response::from_parts(head, body.read_to_vec()?.into()))
    }
}

impl HttpClient for OtlpClient {
    fn send_bytes<'a, 'b>(
        &'a self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move { self.send(request) })
    }
}
