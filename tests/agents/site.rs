//! A stand-in for the REST API of a WordPress site, with as much as the tasks need.

use serde_json::{Value, json};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response, response};

pub(crate) fn site() -> HttpServer {
    HttpServer::answering(|request| match request.line().split('?').next().unwrap_or_default() {
        "GET /wp-json/wp/v2/users/me" => {
            json_response(200, &json!({ "id": 1, "roles": ["administrator"] }))
        }
        "GET /wp-json/wp/v2/posts" => posts(request),
        "POST /wp-json/wp/v2/comments/7" => json_response(200, &comment(&request.json())),
        "POST /wp-json/wp/v2/tags" => json_response(201, &tag(&request.json())),
        "GET /wp-json/wp/v2/tags" => listed(&[tag(&json!({ "name": "Boats" }))]),
        "GET /wp-json/wp/v2/comments" => listed(&[comment(&json!({ "status": "hold" }))]),
        _ => json_response(
            404,
            &json!({ "code": "rest_no_route", "message": "No route was found." }),
        ),
    })
}

fn listed(items: &[Value]) -> Vec<u8> {
    let total = items.len().to_string();
    let headers = [
        ("content-type", "application/json"),
        ("X-WP-Total", total.as_str()),
        ("X-WP-TotalPages", "1"),
    ];
    response(200, &headers, json!(items).to_string())
}

fn posts(request: &ReceivedRequest) -> Vec<u8> {
    let post = |id: u64, title: &str, status: &str| {
        json!({
            "id": id, "title": { "raw": title, "rendered": title }, "status": status, "date": "2026-11-20T08:00:00",
            "modified_gmt": "2026-11-20T08:00:00", "link": format!("https://lighthouse.example/?p={id}"),
        })
    };
    let all = [post(3, "The broken step", "draft"), post(2, "Open night", "publish")];
    let wanted = |post: &&Value| {
        let status = post["status"].as_str().unwrap();
        request.line().contains("status=any")
            || request.line().contains(&format!("status={status}"))
    };
    listed(&all.iter().filter(wanted).cloned().collect::<Vec<_>>())
}

fn comment(change: &Value) -> Value {
    json!({
        "id": 7, "post": 2, "parent": 0, "author": 0, "author_name": "Agnes", "date": "2026-11-20T08:00:00",
        "date_gmt": "2026-11-20T08:00:00", "content": { "raw": "Well lit.", "rendered": "<p>Well lit.</p>" },
        "link": "https://lighthouse.example/?p=2#comment-7", "status": change["status"], "type": "comment",
    })
}

fn tag(given: &Value) -> Value {
    json!({
        "id": 4, "count": 0, "description": "", "link": "https://lighthouse.example/tag/x", "name": given["name"],
        "slug": "x", "taxonomy": "post_tag",
    })
}
