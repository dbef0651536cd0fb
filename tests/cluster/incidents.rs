//! The id of an incident says whose log has it.

use std::collections::BTreeSet;

use serde_json::json;
use toolwrit_tests::cluster::{Cluster, NAMES};

#[test]
fn incidents_of_several_replicas_have_ids_of_their_own() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let incident = |replica: usize| {
        let error = cluster.caller(replica).call("clerk_panic", &json!({})).error();
        let message = error["message"].as_str().unwrap();
        let (_, id) = message.trim_end_matches('.').split_once("logged as ").unwrap();
        id.to_owned()
    };
    let ids = [0, 1, 2].map(incident);
    assert_eq!(BTreeSet::from(ids.clone()).len(), 3, "{ids:?}");
    for (replica, id) in ids.iter().enumerate() {
        assert!(id.starts_with(&format!("{}-", NAMES[replica])), "{id}");
        assert!(cluster.stop(replica).contains(id.as_str()), "{id} is not in its log");
    }
}
