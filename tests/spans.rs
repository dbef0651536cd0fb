//! The spans that a server sends to an OpenTelemetry collector, over a socket.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

use std::collections::HashMap;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value::{IntValue, StringValue};
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message as _;
use serde_json::{Value, json};
use toolwrit_test_servers::http::{HttpServer, response};
use toolwrit_tests::drivers::client::CallResult;
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// Receives what is posted to `/v1/traces`.
fn collector() -> HttpServer {
    HttpServer::with_pages([("/v1/traces", response(200, &[], ""))])
}

/// What it has received.
fn deliveries(collector: &HttpServer) -> Vec<ExportTraceServiceRequest> {
    let requests = collector.requests().into_iter();
    requests.map(|request| ExportTraceServiceRequest::decode(&*request.body).unwrap()).collect()
}

fn serve(home: &Home, variables: &[(&str, &str)]) -> Server {
    let arguments = ["serve", "--http", "127.0.0.1:0", "--surface", "flat"];
    let mut command = home.command(lab(), &arguments);
    command.envs(variables.iter().copied());
    Server::start(command)
}

fn call(server: &Server, name: &str, arguments: &Value, traceparent: Option<&str>) -> CallResult {
    let meta = traceparent.map_or(json!({}), |parent| json!({ "traceparent": parent }));
    let params = json!({"name": name, "arguments": arguments, "_meta": meta});
    CallResult(server.client("").request("tools/call", params).result())
}

/// The attributes, as JSON.
fn attributes(attributes: &[KeyValue]) -> HashMap<&str, Value> {
    let value = |value: &Option<AnyValue>| match value.as_ref().unwrap().value.as_ref().unwrap() {
        StringValue(text) => json!(text),
        IntValue(number) => json!(number),
        other => panic!("{other:?}"),
    };
    attributes.iter().map(|own| (own.key.as_str(), value(&own.value))).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// All spans of all deliveries.
fn spans(deliveries: &[ExportTraceServiceRequest]) -> Vec<&Span> {
    let resources = deliveries.iter().flat_map(|delivery| &delivery.resource_spans);
    resources.flat_map(|one| &one.scope_spans).flat_map(|one| &one.spans).collect()
}

#[test]
fn a_call_is_a_span_of_its_callers_trace_and_what_the_handler_calls_belongs_to_it() {
    let collector = collector();
    let home = Home::new();
    let endpoint = collector.url("");
    let server = serve(&home, &[("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)]);
    let parent = format!("00-{TRACE}-{PARENT}-01");
    let passed_on = call(&server, "lab_trace", &json!({}), Some(&parent)).text().to_owned();
    call(&server, "lab_trace", &json!({"surplus": 1}), None);
    call(&server, "made_up", &json!({}), None);
    // No span is lost when the server stops.
    server.stop();
    let deliveries = deliveries(&collector);
    let spans = spans(&deliveries);
    let [traced, refused, unknown] = spans[..] else { panic!("{spans:#?}") };

    assert_eq!(
        (hex(&traced.trace_id).as_str(), hex(&traced.parent_span_id).as_str()),
        (TRACE, PARENT)
    );
    assert_eq!(passed_on, format!("00-{TRACE}-{}-01", hex(&traced.span_id)));
    assert_eq!((traced.name.as_str(), traced.kind()), ("execute_tool lab.trace", SpanKind::Server));
    assert!(traced.end_time_unix_nano >= traced.start_time_unix_nano);
    assert_eq!(traced.status.as_ref().map_or(0, |status| status.code), 0);
    let told = attributes(&traced.attributes);
    assert_eq!(told["gen_ai.tool.name"], "lab.trace");
    assert_eq!(
        (&told["toolwrit.surface"], &told["toolwrit.decision"]),
        (&json!("flat"), &json!("allowed"))
    );
    assert!(!told.contains_key("error.type"), "{told:?}");

    assert_eq!(attributes(&refused.attributes)["error.type"], "VALIDATION_ERROR");
    assert_eq!(refused.status.as_ref().unwrap().code, 2);
    assert!(refused.parent_span_id.is_empty() && hex(&refused.trace_id) != TRACE);
    // An unknown name does not become the name of a span.
    assert_eq!(unknown.name, "execute_tool");
    assert!(!format!("{unknown:?}").contains("made_up"), "{unknown:?}");

    let service =
        attributes(&deliveries[0].resource_spans[0].resource.as_ref().unwrap().attributes);
    assert_eq!(service["service.name"], "lab");
}

#[test]
fn the_standard_variables_apply() {
    let collector = collector();
    let home = Home::new();
    let endpoint = collector.url("/v1/traces");
    let exact = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpoint.as_str());
    let server = serve(&home, &[exact, ("OTEL_SERVICE_NAME", "archive")]);
    // If the caller's trace is not sampled, no span is sent.
    let unsampled = format!("00-{TRACE}-{PARENT}-00");
    call(&server, "lab_trace", &json!({}), Some(&unsampled));
    call(&server, "lab_trace", &json!({}), None);
    server.stop();
    let deliveries = deliveries(&collector);
    assert_eq!(spans(&deliveries).len(), 1, "{deliveries:#?}");
    let resource = deliveries[0].resource_spans[0].resource.as_ref().unwrap();
    assert_eq!(attributes(&resource.attributes)["service.name"], "archive");

    for off in [&[][..], &[exact, ("OTEL_SDK_DISABLED", "true")]] {
        let server = serve(&home, off);
        let parent = format!("00-{TRACE}-{PARENT}-01");
        // The trace is passed on unchanged.
        assert_eq!(call(&server, "lab_trace", &json!({}), Some(&parent)).text(), parent);
        server.stop();
        assert_eq!(collector.requests().len(), deliveries.len());
    }
}

#[test]
fn a_missing_collector_does_not_affect_calls() {
    let home = Home::new();
    let server = serve(&home, &[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")]);
    assert!(!call(&server, "lab_trace", &json!({}), None).is_error());
    server.stop();
}
