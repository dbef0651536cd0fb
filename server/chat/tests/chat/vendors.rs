//! What is sent to providers, checked by the types that they publish.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::json;
use toolwrit_chat::tool_formats::ToolFormat;

use crate::dialects;
use crate::installed::installed;
use crate::offered;
use crate::providers::{DIALECTS, converse};

/// `tests/vendors/install` installs the types. Without them this test says so and checks nothing.
#[tokio::test]
async fn the_types_of_the_vendors_accept_every_request() {
    let (Some(python), Some(check)) = (installed(".venv/bin/python"), installed("check.py")) else {
        return;
    };
    let mut lines = String::new();
    for dialect in DIALECTS {
        for request in converse(dialect).await.1 {
            let line = json!({ "kind": dialect.name(), "request": request.json() });
            let _ = writeln!(lines, "{line}");
        }
    }
    for format in ToolFormat::ALL {
        let line =
            json!({ "kind": format.name(), "tools": format.describe(&dialects::tools()).unwrap() });
        let _ = writeln!(lines, "{line}");
    }
    for dialect in DIALECTS {
        let pages: Vec<_> = offered::pages(dialect).into_iter().map(|(_, page)| page).collect();
        let read = offered::offered(dialect).await;
        let read: Vec<_> = read.iter().map(|model| json!([model.name, model.context])).collect();
        let line = json!({ "kind": dialect.name(), "pages": pages, "offered": read });
        let _ = writeln!(lines, "{line}");
    }
    let home = tempfile::tempdir().unwrap();
    let input = home.path().join("requests.jsonl");
    std::fs::write(&input, &lines).unwrap();
    let checked = Command::new(python).arg(check).arg(&input).output().unwrap();
    let output = String::from_utf8_lossy(&checked.stdout).into_owned()
        + &String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{output}");
    assert_eq!(
        output.lines().filter(|line| line.ends_with(" ok")).count(),
        lines.lines().count(),
        "{output}"
    );
}
