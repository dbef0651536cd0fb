//! What one replica has given to a client is accepted by every other, once.

use serde_json::{Value, json};
use toolwrit_tests::cluster::{Caller, Cluster};

/// How often each pair of replicas is tried.
const ROUNDS: usize = 3;

/// Every pair of two replicas, in both orders.
fn pairs(cluster: &Cluster) -> Vec<[Caller; 2]> {
    let other = |from: usize| (0..3).filter(move |to| *to != from);
    let pairs = (0..3).flat_map(|from| other(from).map(move |to| [from, to]));
    pairs.map(|pair| pair.map(|replica| cluster.caller(replica))).collect()
}

/// The token with which a refused call is confirmed.
fn token(of: &Caller, line: &str) -> Value {
    let mut refused = of.without_user().call("ledger_strike", &json!({"line": line})).error();
    assert_eq!(refused["code"], "CONFIRMATION_REQUIRED", "{refused}");
    refused["expected"].take()
}

#[test]
fn a_confirmation_token_is_accepted_by_another_replica_and_once_by_all() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let mut expected = Vec::new();
    for round in 0..ROUNDS {
        for (pair, [first, second]) in pairs(&cluster).iter().enumerate() {
            let line = format!("{round}-{pair}");
            let confirmed = json!({"line": line, "confirm": token(first, &line)});
            let struck = second.call("ledger_strike", &confirmed).ok();
            assert_eq!(struck["line"], format!("not {line}"), "{struck}");
            expected.push(format!("not {line}"));
            for replica in [first, second] {
                let again = replica.without_user().call("ledger_strike", &confirmed);
                assert_eq!(again.code(), "CONFIRMATION_REQUIRED");
            }
        }
    }
    assert_eq!(cluster.lines(), expected);
}

#[test]
fn a_request_state_is_accepted_by_another_replica() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let mut expected = Vec::new();
    for (pair, [first, second]) in pairs(&cluster).iter().enumerate() {
        let call = json!({"name": "ledger_sign", "arguments": {}});
        let asked = first.result(call.clone()).0;
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let mut answered = call;
        answered["requestState"] = asked["requestState"].clone();
        let name = format!("Ada {pair}");
        answered["inputResponses"] =
            json!({"name": {"action": "accept", "content": {"name": name}}});
        assert_eq!(second.result(answered).ok()["line"], name);
        expected.push(name);
    }
    assert_eq!(cluster.lines(), expected);
}

#[test]
fn a_yes_that_another_replica_asked_for_counts_once() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let mut expected = Vec::new();
    for (pair, [first, second]) in pairs(&cluster).iter().enumerate() {
        let mut call = json!({"name": "ledger_strike", "arguments": {"line": pair.to_string()}});
        let asked = first.result(call.clone()).0;
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        call["requestState"] = asked["requestState"].clone();
        call["inputResponses"] = json!({"toolwrit/confirm": {"action": "accept"}});
        second.result(call.clone()).ok();
        expected.push(format!("not {pair}"));
        for replica in [first, second] {
            let again = replica.result(call.clone());
            assert_eq!(again.code(), "CONFIRMATION_REQUIRED");
        }
    }
    assert_eq!(cluster.lines(), expected);
}
