//! The requests fit Jira's description of its API.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Era, User};

use crate::site::{Configured, StandIn};

/// The operations of Jira's platform. Its description has no boards and sprints.
const OPERATIONS: [&str; 7] = [
    include_str!("../../operations/issues.yaml"),
    include_str!("../../operations/editing.yaml"),
    include_str!("../../operations/comments.yaml"),
    include_str!("../../operations/links.yaml"),
    include_str!("../../operations/attachments.yaml"),
    include_str!("../../operations/projects.yaml"),
    include_str!("../../operations/people.yaml"),
];

/// Where the description says something else than Jira does, and why.
const EXCEPT: [(&str, &str); 7] = [
    // It is older than this path.
    ("issues.search", "NOT_FOUND"),
    // Its file is a text, and not a part of a form.
    ("attachments.add", "VALIDATION_ERROR"),
    // It does not say that the account may be null.
    ("issues.unassign", "VALIDATION_ERROR"),
    // Its examples have numbers for times, people without names, and other people and statuses.
    ("issues.get", "UPSTREAM_ERROR"),
    ("users.assignable", "UPSTREAM_ERROR"),
    ("issues.assign", "VALIDATION_ERROR"),
    ("issues.transition", "VALIDATION_ERROR"),
];

#[test]
fn every_example_is_a_request_that_jira_describes() {
    let Some(jira) = StandIn::prism() else { return };
    let configured = Configured::new(&jira.url, "anna", "any");
    let mut client = configured.client(User::Agrees, &["--surface", "flat"], Era::Stateless);
    let mut failed = Vec::new();
    for file in OPERATIONS {
        let manifest: Value = serde_yaml::from_str(file).unwrap();
        for (id, operation) in manifest["operations"].as_object().unwrap() {
            for example in operation["examples"].as_array().unwrap() {
                let result = client.call(&id.replace('.', "_"), &example["args"]);
                let code = result.code();
                let is_known = EXCEPT.contains(&(id, &code));
                if code != "ok" && !is_known {
                    failed.push(json!({ "id": id, "result": result.0 }));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
