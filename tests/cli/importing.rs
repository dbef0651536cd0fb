//! `import openapi`: from a URL, by the program.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_test_servers::http::{HttpServer, response};

use crate::cli::program::{Run, lab};

const SHOP: &str = include_str!("../../server/remote/openapi/tests/documents/shop.yaml");

/// Serves documents by their path. One that is an address redirects to it.
fn serve(documents: &[(&str, &str)]) -> HttpServer {
    HttpServer::with_pages(documents.iter().map(|(path, body)| {
        let is_address = body.starts_with("http") || body.starts_with('/');
        let page = if is_address {
            response(302, &[("location", body)], "")
        } else {
            response(200, &[], body)
        };
        (*path, page)
    }))
}

fn import(arguments: &[&str]) -> Run {
    lab(&[&["import", "openapi"], arguments].concat())
}

#[test]
fn a_document_is_read_from_a_url_and_its_manifest_is_served() {
    let server = serve(&[("/shop.yaml", SHOP)]);
    let url = server.url("/shop.yaml");
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("shop.manifest.yaml").display().to_string();
    let only = "getOrder,POST /orders,list*";
    let run = import(&[&url, "--only", only, "--category", "buying", "--out", &file]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("3 operations"), "{run:?}");
    assert!(run.stderr.contains("lost: "), "cookies are lost: {run:?}");

    let manifest = fs::read_to_string(&file).expect("a manifest");
    assert!(manifest.contains("# review"), "{manifest}");
    let checked = lab(&["check", "--manifest", &file]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    let listed = lab(&["list", "--json", "--manifest", &file]).json();
    let operations = listed["operations"].as_array().expect("operations");
    let ids = operations.iter().map(|one| one["id"].as_str().expect("an id"));
    let ids: Vec<&str> = ids.filter(|id| id.starts_with("buying.")).collect();
    assert_eq!(ids.len(), 3, "{listed}");

    // It does not replace a file that somebody may have edited.
    let again = import(&[&url, "--out", &file]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stderr.contains("remove it, or choose another name"), "{again:?}");
    assert_eq!(fs::read_to_string(&file).expect("a manifest"), manifest);
}

#[test]
fn what_is_lost_is_reported() {
    let server = serve(&[("/shop.yaml", SHOP)]);
    let url = server.url("/shop.yaml");
    let report = import(&[&url, "--only", "listOrders", "--json"]).json();
    assert_eq!(report["operations"], 1);
    let losses = report["losses"].as_array().expect("losses");
    assert!(!losses.is_empty(), "{report}");
    for loss in losses {
        let is_told = |name: &str| loss[name].as_str().is_some_and(|text| !text.is_empty());
        assert!(is_told("kind") && is_told("message"), "{loss}");
    }
    assert!(
        report["manifest"].as_str().expect("a manifest").contains("\ntoolwrit: 1\n"),
        "{report}"
    );
}

#[test]
fn hostile_documents_and_servers_are_refused_with_a_message() {
    let deep = "[".repeat(200_000);
    let large = format!("{{\"a\":\"{}\"", "x".repeat((64 << 20) + 1));
    let documents = [
        ("/html", "<html><p>Log in</html>"),
        ("/empty", ""),
        ("/deep", &*deep),
        ("/large", &large),
        ("/swagger", "{\"swagger\":\"2.0\",\"paths\":{}}"),
        ("/none", "{\"openapi\":\"3.0.0\",\"paths\":{}}"),
        ("/bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nopenapi: 3.0.0\n"),
        ("/loop", "/loop"),
        ("/away", "http://169.254.169.254/latest"),
        ("/file", "/../../../etc/passwd"),
    ];
    let server = serve(&documents);
    let paths = documents.iter().map(|(path, _)| *path).chain(["/missing"]);
    for path in paths {
        let run = import(&[&server.url(path)]);
        assert_eq!(run.code, Some(1), "{path}: {run:?}");
        assert_eq!(run.stdout, "", "{path}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.len() < 2_000, "{path}: {run:?}");
        assert!(!run.stderr.contains("panicked"), "{path}: {run:?}");
    }
}

#[test]
fn another_host_is_asked_only_if_the_author_allows_it() {
    const DOCUMENT: &str = r#"{"openapi":"3.0.0","paths":{"/a":{"get":{"operationId":"a","responses":{"200":
        {"content":{"application/json":{"schema":{"$ref":"http://localhost:9/types.json#/A"}}}}}}}}}"#;
    let server = serve(&[("/a.json", DOCUMENT)]);
    let url = server.url("/a.json");
    let report: Value = import(&[&url, "--json"]).json();
    let told = report["losses"].to_string();
    assert!(told.contains("--allow-host localhost"), "{told}");
    assert_eq!(report["operations"], json!(1));
}
