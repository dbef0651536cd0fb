//! JSON-RPC framing: any line is a message, blank, or answered with an error. The fast path for tool calls
//! parses the same message as rmcp.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rmcp::RoleServer;
use rmcp::service::RxJsonRpcMessage;
use serde_json::Value;
use toolwrit::fuzzing::{self, Line};

fuzz_target!(|line: &[u8]| {
    let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    match fuzzing::line(line) {
        Line::Nothing => {}
        Line::Bad { code, message } => {
            assert!(!message.is_empty());
            // Invalid JSON is -32700, and nothing else is.
            let is_json = serde_json::from_slice::<Value>(text).is_ok();
            assert_eq!(code == -32700, !is_json, "{message}");
        }
        Line::Message(message) => {
            // rmcp's reader refuses one level of nesting earlier.
            let Ok(theirs) = serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(text) else {
                return;
            };
            assert_eq!(message, serde_json::to_value(theirs).unwrap());
        }
    }
});
