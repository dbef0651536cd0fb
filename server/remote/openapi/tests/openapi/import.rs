//! Small documents, and the manifests made of them.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolwrit_openapi::{Imported, Kind, Options, import, import_text};
use toolwrit_words::headers::set_by_engine;

use crate::loaded::load;

fn document(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents").join(name)
}

fn imported(path: &Path, only: &[&str]) -> Imported {
    let only = only.iter().map(|one| (*one).to_owned()).collect();
    let imported = import(path.to_str().unwrap(), &Options { only, ..Options::default() }).unwrap();
    load(&imported).unwrap();
    imported
}

fn shown(imported: &Imported) -> String {
    let losses = imported.losses.iter().map(|loss| {
        format!("# lost: {}: {}: {}\n", loss.kind.as_str(), loss.pointer, loss.message)
    });
    format!("{}{}", imported.manifest, losses.collect::<String>())
}

/// Why a document is refused.
fn refused(text: &str, options: &Options) -> String {
    import_text(text, options).unwrap_err().to_string()
}

#[test]
fn a_document_of_version_3_0() {
    insta::assert_snapshot!(shown(&imported(&document("shop.yaml"), &[])));
}

#[test]
fn a_document_of_version_3_1() {
    insta::assert_snapshot!(shown(&imported(&document("notes.json"), &[])));
}

#[test]
fn operations_are_selected_by_id_path_and_pattern() {
    let shop = document("shop.yaml");
    let count = |only: &[&str]| imported(&shop, only).operations;
    assert_eq!(count(&["getOrder"]), 1);
    assert_eq!(count(&["getOrder,listOrders"]), 2);
    assert_eq!(count(&["DELETE /orders/{orderId}"]), 1);
    assert_eq!(count(&["get*"]), 2);
    assert_eq!(count(&["get /orders*"]), 2);
}

#[test]
fn an_unknown_operation_has_a_similar_name() {
    let path = document("shop.yaml");
    let only = vec!["getOrders".to_owned()];
    let why = import(path.to_str().unwrap(), &Options { only, ..Options::default() }).unwrap_err();
    insta::assert_snapshot!(why, @"the document has no operation `getOrders`; did you mean `getOrder`?");
}

#[test]
fn other_documents_are_refused() {
    let all = Options::default();
    insta::assert_snapshot!(refused("swagger: '1.2'", &all), @"`the document` is Swagger before 2.0; expected an OpenAPI document of version 3.0, 3.1 or 3.2, or Swagger 2.0");
    insta::assert_snapshot!(refused("openapi: 4.0.0", &all), @"`the document` is OpenAPI 4.0.0; expected an OpenAPI document of version 3.0, 3.1 or 3.2, or Swagger 2.0");
    insta::assert_snapshot!(refused("[]", &all), @"`the document` is no OpenAPI document; expected an OpenAPI document of version 3.0, 3.1 or 3.2, or Swagger 2.0: its first key is `openapi`");
    insta::assert_snapshot!(refused("openapi: 3.0.0", &all), @"the document has no operation that can be imported");
    let category = Options { category: Some("Big Ones".to_owned()), ..Options::default() };
    insta::assert_snapshot!(refused("openapi: 3.0.0", &category), @"`Big Ones` is not the name of a category; expected lower case letters, digits and `-`, a letter first");
}

#[test]
fn the_category_may_be_given() {
    let text = fs::read_to_string(document("shop.yaml")).unwrap();
    let options = Options { category: Some("shop".to_owned()), ..Options::default() };
    let imported = import_text(&text, &options).unwrap();
    load(&imported).unwrap();
    assert!(imported.manifest.contains("  shop.list_orders:"), "{}", imported.manifest);
}

#[test]
fn files_are_read_only_below_the_folder_of_the_document() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("api");
    fs::create_dir_all(folder.join("parts")).unwrap();
    fs::write(home.path().join("secret.yaml"), "a: { type: string }").unwrap();
    fs::write(
        folder.join("parts/pet.yaml"),
        "Pet: { type: object, properties: { name: { $ref: 'more.yaml#/Name' } } }",
    )
    .unwrap();
    fs::write(folder.join("parts/more.yaml"), "Name: { type: string, description: Its name. }")
        .unwrap();
    let schema = |reference: &str| {
        format!("{{ content: {{ application/json: {{ schema: {{ $ref: '{reference}' }} }} }} }}")
    };
    let operation =
        |reference: &str| format!("{{ get: {{ responses: {{ 200: {} }} }} }}", schema(reference));
    let text = format!(
        "openapi: 3.0.0\npaths:\n  /a: {}\n  /b: {}\n  /c: {}\n",
        operation("parts/pet.yaml#/Pet"),
        operation("../secret.yaml#/a"),
        operation("https://elsewhere.example/x.yaml"),
    );
    fs::write(folder.join("api.yaml"), text).unwrap();
    let imported = imported(&folder.join("api.yaml"), &[]);
    assert!(
        imported.manifest.contains("AResult: { fields: { name?: string } }"),
        "{}",
        imported.manifest
    );
    let lost: Vec<_> = imported.losses.iter().filter(|loss| loss.kind == Kind::Reference).collect();
    let why = |name: &str| {
        lost.iter().find(|loss| loss.pointer == name).map(|loss| loss.message.as_str())
    };
    assert_eq!(
        why("../secret.yaml"),
        Some("not followed: the file is not below the folder of the document")
    );
    assert!(why("https://elsewhere.example/x.yaml").unwrap().starts_with("not followed"));
}

#[test]
fn parameters_are_sent_as_the_document_says_or_named_as_lost() {
    let long = "Word ".repeat(60);
    let object = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}"#;
    let list = r#"{"type":"array","items":{"type":"string"}}"#;
    let text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"Things","version":"1"}},
        "servers":[{{"url":"https://things.example"}}],
        "paths":{{"/things":{{"get":{{"operationId":"listThings","summary":"List things","parameters":[
        {{"name":"pipes","in":"query","style":"pipeDelimited","explode":false,"schema":{list}}},
        {{"name":"spaces","in":"query","style":"spaceDelimited","explode":true,"schema":{list}}},
        {{"name":"spread","in":"query","schema":{object}}},
        {{"name":"flat","in":"query","explode":false,"schema":{object}}},
        {{"name":"deep","in":"query","style":"deepObject","schema":{object}}},
        {{"name":"size","in":"query","description":"{long}","schema":{{"type":"integer","enum":[1,2]}}}}],
        "responses":{{"204":{{}}}}}}}}}}}}"#
    );
    let imported = import_text(&text, &Options::default()).unwrap();
    load(&imported).unwrap();
    insta::assert_snapshot!(shown(&imported));
}

#[test]
fn a_long_description_of_an_operation_is_named_as_lost() {
    let long = "It lists what is there. ".repeat(20);
    let text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"Things","version":"1"}},
        "servers":[{{"url":"https://things.example"}}],
        "paths":{{"/things":{{"get":{{"operationId":"listThings","summary":"List things",
        "description":"{long}","responses":{{"204":{{}}}}}}}}}}}}"#
    );
    let imported = import_text(&text, &Options::default()).unwrap();
    load(&imported).unwrap();
    let lost: Vec<_> = imported
        .losses
        .iter()
        .map(|loss| (loss.kind, loss.pointer.as_str(), loss.message.as_str()))
        .collect();
    assert_eq!(lost, [(Kind::Text, "/paths/~1things/get", "the description is shortened")]);
}

#[test]
fn headers_that_the_engine_sets_are_no_parameters() {
    let all = set_by_engine().chain(["accept", "X-Trace"]);
    let parameters: Vec<_> =
        all.map(|name| format!(r#"{{"name":"{name}","in":"header"}}"#)).collect();
    let parameters = parameters.join(",");
    let text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"Things","version":"1"}},
        "servers":[{{"url":"https://things.example"}}],
        "paths":{{"/things":{{"get":{{"operationId":"listThings","summary":"List things",
        "parameters":[{parameters}],"responses":{{"204":{{}}}}}}}}}}}}"#
    );
    let imported = import_text(&text, &Options::default()).unwrap();
    load(&imported).unwrap();
    assert!(imported.manifest.contains("headers: { X-Trace?: $x_trace }"), "{}", imported.manifest);
}

#[test]
fn a_key_in_a_header_that_cannot_be_is_no_way_to_prove_who_calls() {
    let text = |name: &str| {
        format!(
            r#"{{"openapi":"3.0.3","info":{{"title":"Things","version":"1"}},
            "servers":[{{"url":"https://things.example"}}],"security":[{{"key":[]}}],
            "components":{{"securitySchemes":{{"key":{{"type":"apiKey","in":"header","name":"{name}"}}}}}},
            "paths":{{"/things":{{"get":{{"operationId":"listThings","summary":"List things",
            "responses":{{"204":{{}}}}}}}}}}}}"#
        )
    };
    for (name, is_one) in [("X-Key", true), ("X[key]", false)] {
        let imported = import_text(&text(name), &Options::default()).unwrap();
        load(&imported).unwrap();
        assert_eq!(imported.manifest.contains("api_key"), is_one, "{}", imported.manifest);
    }
}

#[test]
fn examples_that_are_no_days_are_replaced() {
    let text = |day: &str| {
        format!(
            r#"{{"openapi":"3.0.3","info":{{"title":"Things","version":"1"}},
            "servers":[{{"url":"https://things.example"}}],
            "paths":{{"/things":{{"get":{{"operationId":"listThings","summary":"List things","parameters":[
            {{"name":"since","in":"query","required":true,"example":"{day}",
            "schema":{{"type":"string","format":"date"}}}}],"responses":{{"204":{{}}}}}}}}}}}}"#
        )
    };
    for (day, is_one) in [("2025-04-30", true), ("2025-12-31", true), ("2025-04-31", false)] {
        let imported = import_text(&text(day), &Options::default()).unwrap();
        load(&imported).unwrap();
        assert_eq!(imported.manifest.contains(day), is_one, "{}", imported.manifest);
    }
}

#[test]
fn media_types_of_bytes_have_no_parameters() {
    let text = |media_type: &str| {
        format!(
            r#"{{"openapi":"3.0.3","info":{{"title":"Things","version":"1"}},
            "servers":[{{"url":"https://things.example"}}],
            "paths":{{"/things":{{"post":{{"operationId":"addThings","summary":"Add things",
            "requestBody":{{"required":true,"content":{{"{media_type}":{{}}}}}},
            "responses":{{"204":{{}}}}}}}}}}}}"#
        )
    };
    for (given, written) in [
        ("application/pdf; version=2", "media_type: application/pdf }"),
        ("image/x-icon+gz", r#"media_type: "image/x-icon+gz" }"#),
        ("image/*", "media_type: application/octet-stream }"),
    ] {
        let imported = import_text(&text(given), &Options::default()).unwrap();
        load(&imported).unwrap();
        assert!(imported.manifest.contains(written), "{}", imported.manifest);
    }
}

#[test]
fn what_has_the_name_of_another_is_named_as_lost() {
    let object = r#"{"type":"object","properties":{"b":{"type":"string"}}}"#;
    let properties = format!(r#""a[b]":{{"type":"string"}},"a":{object}"#);
    let text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"Things","version":"1"}},
        "servers":[{{"url":"https://things.example"}}],
        "paths":{{"/things?kind=1&kind=2":{{"post":{{"operationId":"addThing","summary":"Add a thing",
        "requestBody":{{"required":true,"content":{{"application/x-www-form-urlencoded":
        {{"schema":{{"type":"object","properties":{{{properties}}}}}}}}}}},
        "responses":{{"204":{{}}}}}}}}}}}}"#
    );
    let imported = import_text(&text, &Options::default()).unwrap();
    load(&imported).unwrap();
    let lost: Vec<_> = imported.losses.iter().map(|loss| loss.message.as_str()).collect();
    assert_eq!(lost, ["`kind` of its path is sent once", "another one has its name: left out"]);
}

#[test]
fn descriptions_of_answers_are_not_written_and_not_lost() {
    let long = "Word ".repeat(60);
    let schema = format!(
        r#"{{"type":"object","properties":{{"size":{{"type":"integer","description":"{long}"}}}}}}"#
    );
    let text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"Things","version":"1"}},
        "servers":[{{"url":"https://things.example"}}],
        "paths":{{"/thing":{{"get":{{"operationId":"getThing","summary":"Get a thing",
        "responses":{{"200":{{"content":{{"application/json":{{"schema":{schema}}}}}}}}}}}}}}}}}"#
    );
    let imported = import_text(&text, &Options::default()).unwrap();
    load(&imported).unwrap();
    assert!(!imported.manifest.contains("Word"), "{}", imported.manifest);
    assert_eq!(imported.losses, []);
}
