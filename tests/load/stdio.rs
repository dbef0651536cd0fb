//! Load over standard streams, with cancellation by notification.

use std::collections::HashMap;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client};
use toolwrit_tests::memory::resident;

use crate::load::{CALLS, IN_FLIGHT, ONE_HEAP, WARM, check_growth, is_cancelled, notes};

/// Unanswered calls by the id of their request.
#[derive(Default)]
struct Waiting {
    answered: HashMap<u64, u64>,
    /// The call was cancelled, so it may be answered or not.
    cancelled: HashMap<u64, u64>,
}

impl Waiting {
    /// Takes the only answer of a call.
    fn take(&mut self, answer: &Value) {
        let id = answer["id"].as_u64().unwrap_or_else(|| panic!("no answer: {answer}"));
        let result = || CallResult(answer["result"].clone());
        if let Some(number) = self.answered.remove(&id) {
            notes::check_result(number, result());
        } else {
            let number = self.cancelled.remove(&id);
            let number = number.unwrap_or_else(|| panic!("answered twice: {answer}"));
            if result().code() != "CANCELLED" {
                notes::check_result(number, result());
            }
        }
    }
}

#[test]
fn every_request_over_standard_streams_is_answered_once() {
    let vault = notes::vault();
    let mut client = Client::vault_in(&[ONE_HEAP], vault.path(), &["--surface", "flat"]);
    let mut waiting = Waiting::default();
    let mut warm = None;
    for number in 0..CALLS {
        if number == WARM {
            warm = resident(client.pid());
        }
        let (tool, arguments) = notes::call(number);
        let id = client.begin_call(tool, &arguments);
        if is_cancelled(number) {
            waiting.cancelled.insert(id, number);
            let params = json!({"requestId": id, "reason": "no longer wanted"});
            let method = "notifications/cancelled";
            client.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        } else {
            waiting.answered.insert(id, number);
        }
        while waiting.answered.len() >= IN_FLIGHT {
            waiting.take(&client.next_message());
        }
    }
    while !waiting.answered.is_empty() {
        waiting.take(&client.next_message());
    }
    check_growth(client.pid(), warm);
    let (code, rest) = client.close();
    for answer in &rest {
        waiting.take(answer);
    }
    assert_eq!(code, Some(0));
    notes::check_vault(vault.path());
}
