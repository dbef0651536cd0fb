//! Content for tests and demonstrations. It is recognized by its slugs.

use serde_json::{Map, Value, json};
use toolwrit::{Context, Fault};

/// What is created: how it is found, the operation, and its arguments.
struct Sample {
    kind: &'static str,
    list: &'static str,
    create: &'static str,
    title: &'static str,
    arguments: Value,
}

fn samples() -> [Sample; 4] {
    let post = |title, slug: &str, text: &str| Sample {
        kind: "post",
        list: "content.list_posts",
        create: "content.create_post",
        title,
        arguments: json!({ "title": title, "slug": slug, "content": paragraph(text) }),
    };
    [
        Sample {
            kind: "category",
            list: "taxonomy.list_categories",
            create: "taxonomy.create_category",
            title: "Toolwrit sample",
            arguments: json!({ "name": "Toolwrit sample", "slug": "toolwrit-sample-category" }),
        },
        post("Toolwrit sample: harbour", "toolwrit-sample-harbour", "The ferry leaves at nine."),
        post("Toolwrit sample: lighthouse", "toolwrit-sample-lighthouse", "Its lamp turns."),
        Sample {
            kind: "page",
            list: "content.list_pages",
            create: "content.create_page",
            title: "Toolwrit sample: opening hours",
            arguments: json!({
                "title": "Toolwrit sample: opening hours",
                "slug": "toolwrit-sample-hours",
                "content": paragraph("We open at nine."),
            }),
        },
    ]
}

fn paragraph(text: &str) -> String {
    format!("<!-- wp:paragraph -->\n<p>{text}</p>\n<!-- /wp:paragraph -->")
}

/// Creates what is missing, posts and pages as drafts. Returns what it has created.
///
/// # Errors
/// The fault of the first call that fails.
pub(crate) async fn create(cx: &Context) -> Result<Vec<String>, Fault> {
    let mut created = Vec::new();
    for sample in samples() {
        let search = Map::from_iter([("search".to_owned(), sample.title.into())]);
        let found = cx.call_bound(sample.list, search).await?;
        if found["total"].as_u64() != Some(0) {
            continue;
        }
        let Value::Object(arguments) = sample.arguments else { continue };
        let made = cx.call_bound(sample.create, arguments).await?;
        created.push(format!("{} {}: {}", sample.kind, made["id"], sample.title));
    }
    Ok(created)
}
