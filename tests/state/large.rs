//! The size of the audit in bytes is limited, too.

use rusqlite::Connection;

use super::{file, folder, lab, run};

/// The limit of the audit in bytes.
const MOST: i64 = 256 * 1024 * 1024;

/// The bytes of all arguments, and the ids of the first and the last row.
fn measure(database: &Connection) -> (i64, i64, i64) {
    let query = "SELECT sum(length(arguments)), min(id), max(id) FROM audit";
    database.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
}

/// A file of an earlier version, which limited only the number of rows, with more than the limit.
#[test]
fn an_audit_that_is_too_large_loses_its_oldest_rows() {
    let data = folder();
    std::fs::create_dir(data.path().join("lab")).unwrap();
    let database = Connection::open(file(data.path())).unwrap();
    // The test does not need synced writes.
    database.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;").unwrap();
    let engine = concat!(env!("CARGO_MANIFEST_DIR"), "/../server/engine/state/src/");
    for step in ["schema.sql", "listed.sql"] {
        let step = std::fs::read_to_string(format!("{engine}{step}")).unwrap();
        database.execute_batch(&step).unwrap();
    }
    database.pragma_update(None, "user_version", 2).unwrap();
    let row = "INSERT INTO audit (time, principal, surface, name, focus, role, decision, outcome,
        micros, bytes_in, bytes_out, arguments)
        VALUES ('2026-01-01T00:00:00.000Z', 'local', 'flat', 'old', 'full', 'owner', 'allowed', 'ok',
        1, 1, 1, ?)";
    let long = format!("\"{}\"", "x".repeat(1024 * 1024));
    for _ in 0..259 {
        database.execute(row, [&long]).unwrap();
    }
    assert!(measure(&database).0 > MOST);
    drop(database);
    // Each call removes a few old rows, so that no call waits for many.
    for _ in 0..2 {
        assert!(run(lab(), data.path(), &["call", "lab.echo", "--text", "new"]).status.success());
    }
    let database = Connection::open(file(data.path())).unwrap();
    let (bytes, first, last) = measure(&database);
    assert!(bytes <= MOST && bytes > MOST - 2 * 1024 * 1024, "{bytes}");
    assert_eq!((first > 1, last), (true, 261), "the oldest went, the newest are there");
    // Rows within the limit are kept.
    let error = database.execute("DELETE FROM audit WHERE id = ?", [first]).unwrap_err();
    assert!(error.to_string().contains("append-only"), "{error}");
    // New rows replace old ones of the same size.
    drop(database);
    let text = "y".repeat(200);
    let others = vec![format!("{{\"user\":\"{text}\",\"token\":\"{text}\"}}"); 80].join(",");
    let arguments = format!(
        "{{\"password\":\"p\",\"account\":{{\"user\":\"u\",\"token\":\"t\"}},\"others\":[{others}]}}"
    );
    for _ in 0..70 {
        let call = run(lab(), data.path(), &["call", "lab.enrol", "--args", &arguments]);
        assert!(call.status.success(), "{call:?}");
    }
    let (bytes, later, last) = measure(&Connection::open(file(data.path())).unwrap());
    assert!(bytes <= MOST && later > first, "{bytes}, {later} after {first}");
    assert_eq!(last, 331);
}
