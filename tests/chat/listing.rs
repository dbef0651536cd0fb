//! The models that the endpoints of a configuration offer.

use serde_json::json;
use toolwrit_test_servers::http::{HttpServer, json_response};

use crate::chat::desk::Desk;

#[test]
fn models_of_each_endpoint_are_listed() {
    let server = HttpServer::answering(|request| match request.path() {
        "/v1/models" => {
            let models = json!([{ "id": "small" }, { "id": "large", "context_length": 8_192 }]);
            json_response(200, &json!({ "object": "list", "data": models }))
        }
        _ => json_response(404, &json!({ "error": { "message": "nothing is here" } })),
    });
    let desk = Desk::new([]);
    let table = |name: &str, model: &str, path: &str| {
        let base = server.url(path);
        format!(
            "[models.{name}]\ndialect = \"openai\"\nmodel = \"{model}\"\nbase_url = \"{base}\"\n"
        )
    };
    let (writer, other) = (table("writer", "large", "/v1/"), table("other", "gone", "/v1/"));
    desk.configure(&(writer.clone() + &other));
    let listed = desk.run(&["chat", "--models"]);
    let rows: Vec<Vec<&str>> =
        listed.out.lines().skip(1).map(|line| line.split_whitespace().skip(2).collect()).collect();
    assert_eq!(
        rows,
        [vec!["large", "8192", "writer"], vec!["small", "not", "said"]],
        "{}",
        listed.out
    );
    assert_eq!(server.requests().len(), 1, "one endpoint is asked once");

    // A wrong address fails, and says what to do. The others are listed.
    desk.configure(&(writer + &table("other", "small", "/")));
    let listed = desk.run(&["chat", "--models"]);
    assert_eq!(listed.code, Some(1), "{}", listed.out);
    assert!(listed.out.contains("large"), "{}", listed.out);
    assert!(
        listed.err.contains("nothing is here") && listed.err.contains("ends with /v1/"),
        "{}",
        listed.err
    );
    let json = desk.run(&["chat", "--models", "--model", "writer", "--json"]).json();
    assert_eq!(
        json[0]["models"][0],
        json!({ "model": "large", "context": 8_192, "configured_as": ["writer"] })
    );
    let unknown = desk.run(&["chat", "--models", "--model", "nobody"]);
    assert_eq!(unknown.code, Some(3), "{}", unknown.err);
    assert!(unknown.err.contains("other, writer"), "{}", unknown.err);
}
