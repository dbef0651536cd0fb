//! The provider: where the API is, and how calls prove who they are.

use crate::conversion::security::Security;
use crate::document::documents::Documents;
use crate::document::endpoint::Endpoint;
use crate::document::node::Node;
use crate::document::schema::{Schema, Type};
use crate::language::text;
use crate::language::written::{answer_path, is_base};
use crate::language::yaml::{Mapping, Yaml};
use crate::losses::{Kind, Losses};

/// The settings of the provider, and its `http` without shapes.
pub(crate) fn write_provider(
    root: &Node<'_>,
    documents: &Documents,
    security: &Security,
    endpoints: &[Endpoint<'_>],
    losses: &mut Losses,
) -> (Mapping, Mapping) {
    let (base, others) = find_base_urls(root, documents, losses);
    let mut url = Mapping::default();
    url.add("type", "string");
    url.add("example", base.as_str());
    if !others.is_empty() {
        url.add("description", format!("One of: {base}, {}.", others.join(", ")));
    }
    let mut settings = Mapping::default();
    settings.guess("url", url, "write the URL under `base` if there is only one");
    security.add_settings(&mut settings);
    let mut http = Mapping::block();
    http.add("base", "$url");
    if let Some(auth) = security.written() {
        http.guess("auth", auth, security.why());
    }
    if let Some(path) = find_probe(endpoints) {
        let mut probe = Mapping::default();
        probe.add("get", path);
        http.guess("probe", probe, "its name says that it answers about the caller or the service");
    }
    if let Some(message) = find_message_path(endpoints) {
        let mut errors = Mapping::default();
        errors.add("message", message);
        http.guess("errors", errors, "from the schema of the first failure");
    }
    (settings, http)
}

/// The URL of the first server, with the defaults of its variables, and up to four others.
fn find_base_urls(
    root: &Node<'_>,
    documents: &Documents,
    losses: &mut Losses,
) -> (String, Vec<String>) {
    const MOST: usize = 5;
    let mut urls = Vec::new();
    for server in root.raw("servers").iter().flat_map(Node::items) {
        let Some(url) = server.text("url") else { continue };
        let mut url = url.to_owned();
        let variables = server.raw("variables");
        for (name, variable) in variables.iter().flat_map(Node::entries) {
            let default = variable.text("default").unwrap_or_default();
            if url.len() < 500 {
                url = url.replace(&format!("{{{name}}}"), default);
            }
        }
        if let Some(root_url) = documents.url()
            && let Ok(joined) = root_url.join(&url)
        {
            url = joined.to_string();
        }
        let url = url.trim_end_matches('/').to_owned();
        if is_base(&url) && urls.len() < MOST {
            urls.push(url);
        } else {
            losses.add(
                Kind::Server,
                &server.location(),
                "not a full URL, or one of many: left out",
            );
        }
    }
    urls.dedup();
    if urls.is_empty() {
        return ("https://api.example.com".to_owned(), Vec::new());
    }
    let first = urls.remove(0);
    (first, urls)
}

/// The path of an operation that answers about the caller or the service, without parameters.
fn find_probe(endpoints: &[Endpoint<'_>]) -> Option<String> {
    const NAMES: [&str; 11] = [
        "myself",
        "me",
        "self",
        "whoami",
        "current-user",
        "current_user",
        "user",
        "account",
        "status",
        "health",
        "version",
    ];
    let needs_nothing = |endpoint: &&Endpoint<'_>| {
        let lists = [&endpoint.item, &endpoint.node].map(|node| node.raw("parameters"));
        let mut parameters = lists.iter().flatten().flat_map(Node::items);
        parameters.all(|raw| {
            raw.resolve().is_some_and(|parameter| parameter.flag("required") != Some(true))
        })
    };
    let is_path = |path: &str| {
        path.starts_with('/')
            && path.chars().all(|c| c.is_ascii_alphanumeric() || "/-_.~".contains(c))
            && !path.contains("..")
    };
    NAMES.iter().find_map(|name| {
        let mut named = endpoints.iter().filter(|endpoint| {
            endpoint.method == "get"
                && endpoint.path.rsplit('/').next() == Some(name)
                && is_path(endpoint.path)
        });
        named.find(needs_nothing).map(|endpoint| endpoint.path.to_owned())
    })
}

/// Where failures have their message.
fn find_message_path(endpoints: &[Endpoint<'_>]) -> Option<String> {
    const MOST_READ: usize = 50;
    endpoints.iter().take(MOST_READ).find_map(|endpoint| {
        let responses = endpoint.node.raw("responses")?;
        let is_failure = |status: &str| status.starts_with('4') || status == "default";
        let mut failures = responses.entries().filter(|(status, _)| is_failure(status));
        failures.find_map(|(_, response)| {
            let content = response.resolve()?.raw("content")?;
            let (_, media) =
                content.entries().find(|(name, _)| crate::conversion::media::is_json(name))?;
            find_message(&media.raw("schema")?, 3).map(|found| {
                let mut path = answer_path(&found.iter().map(String::as_str).collect::<Vec<_>>());
                path = path.replace("[\"0\"]", "[0]");
                path
            })
        })
    })
}

/// The steps to a message in a schema; `0` is the first of a list.
fn find_message(node: &Node<'_>, levels: usize) -> Option<Vec<String>> {
    const MESSAGES: [&str; 9] = [
        "message",
        "error_description",
        "errorMessage",
        "detail",
        "msg",
        "errorMessages",
        "error",
        "errors",
        "title",
    ];
    let schema = Schema::read(node)?;
    match schema.ty() {
        Type::String => Some(Vec::new()),
        Type::Array => {
            let mut rest = find_message(&schema.child("items")?, levels.checked_sub(1)?)?;
            rest.insert(0, "0".to_owned());
            Some(rest)
        }
        Type::Object if levels > 0 => {
            let properties = schema.properties();
            MESSAGES.iter().find_map(|name| {
                let (_, node) = properties.iter().find(|(property, _)| property == name)?;
                let mut rest = find_message(node, levels - 1)?;
                rest.insert(0, (*name).to_owned());
                Some(rest)
            })
        }
        _ => None,
    }
}

pub(crate) fn api_title(root: &Node<'_>) -> String {
    const LONGEST: usize = 60;
    let title = root.raw("info").and_then(|info| {
        info.text("title").and_then(|text| text::shorten_description(text, LONGEST))
    });
    title.unwrap_or_else(|| "API".to_owned())
}

/// One line about the API.
pub(crate) fn api_summary(root: &Node<'_>, title: &str) -> Yaml {
    let info = root.raw("info");
    let text =
        info.as_ref().and_then(|info| info.text("summary").or_else(|| info.text("description")));
    let summary = text.and_then(text::summarize).map(|summary| summary.text);
    summary
        .or_else(|| text::summarize(title).map(|summary| summary.text))
        .unwrap_or_else(|| "An HTTP API.".to_owned())
        .into()
}
