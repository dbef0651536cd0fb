//! The provider: where the API is, and how calls prove who they are.

use std::collections::HashMap;

use crate::conversion::parameters::is_header;
use crate::conversion::types::is_name;
use crate::document::documents::Documents;
use crate::document::endpoint::Endpoint;
use crate::document::node::Node;
use crate::document::schema::{Schema, Type};
use crate::language::text;
use crate::language::written::answer_path;
use crate::language::yaml::{Mapping, Yaml};
use crate::losses::{Kind, Losses};

/// How calls prove who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Auth {
    Basic,
    Bearer,
    Key { location: &'static str, name: String },
    Oauth { token_url: String, scope: Option<String> },
}

/// The way that most operations accept, as far as the language has it.
pub(crate) struct Security {
    auth: Option<Auth>,
    why: &'static str,
}

impl Security {
    /// Chooses a way to prove who calls. The others are losses.
    pub(crate) fn choose(root: &Node<'_>, endpoints: &[Endpoint<'_>], losses: &mut Losses) -> Self {
        let schemes = root.get("components").and_then(|all| all.get("securitySchemes"));
        let Some(schemes) = schemes else { return Self { auth: None, why: "" } };
        let mut uses: HashMap<&str, usize> = HashMap::new();
        let of_operations = endpoints.iter().filter_map(|endpoint| endpoint.node.raw("security"));
        // What holds for all operations counts more than what some of them name.
        let lists = of_operations
            .map(|list| (list, 1))
            .chain(root.raw("security").map(|list| (list, endpoints.len() + 1)));
        for (list, weight) in lists {
            for requirement in list.items() {
                for name in requirement.value.as_object().into_iter().flat_map(|one| one.keys()) {
                    *uses.entry(name).or_default() += weight;
                }
            }
        }
        let mut candidates = Vec::new();
        for (at, (name, raw)) in schemes.entries().enumerate() {
            let Some(scheme) = raw.resolve() else { continue };
            match parse_scheme(&scheme) {
                Some((auth, rank, why)) => {
                    let count = uses.get(name).copied().unwrap_or_default();
                    candidates.push((
                        std::cmp::Reverse(count),
                        rank,
                        at,
                        scheme.location(),
                        auth,
                        why,
                    ));
                }
                None => losses.add(
                    Kind::Security,
                    &scheme.location(),
                    "this way to prove who calls does not exist here",
                ),
            }
        }
        candidates.sort_by_key(|(count, rank, at, ..)| (*count, *rank, *at));
        let mut candidates = candidates.into_iter();
        let chosen = candidates.next();
        for (_, _, _, pointer, ..) in candidates {
            losses.add(Kind::Security, &pointer, "only one way to prove who calls is kept");
        }
        let (auth, why) = chosen.map_or((None, ""), |(.., auth, why)| (Some(auth), why));
        Self { auth, why }
    }

    /// The name of the parameter or header that has the key.
    pub(crate) fn credential(&self) -> Option<&str> {
        match &self.auth {
            Some(Auth::Key { name, .. }) => Some(name),
            _ => None,
        }
    }

    fn add_settings(&self, settings: &mut Mapping) {
        let secret = || {
            let mut secret = Mapping::default();
            secret.add("type", "string");
            secret.add("sensitive", true);
            secret
        };
        match &self.auth {
            None => {}
            Some(Auth::Basic) => {
                settings.add("user", "string");
                settings.add("password", secret());
            }
            Some(Auth::Bearer) => settings.add("token", secret()),
            Some(Auth::Key { .. }) => settings.add("api_key", secret()),
            Some(Auth::Oauth { .. }) => {
                settings.add("client_id", "string");
                settings.add("client_secret", secret());
            }
        }
    }

    fn to_mapping(&self) -> Option<Mapping> {
        let mut way = Mapping::default();
        match self.auth.as_ref()? {
            Auth::Basic => {
                let mut basic = Mapping::default();
                basic.add("user", "$user");
                basic.add("password", "$password");
                way.add("basic", basic);
            }
            Auth::Bearer => way.add("bearer", "$token"),
            Auth::Key { location, name } => {
                let mut key = Mapping::default();
                key.add(*location, name.as_str());
                key.add("value", "$api_key");
                way.add("api_key", key);
            }
            Auth::Oauth { token_url, scope } => {
                let mut oauth = Mapping::default();
                oauth.add("token_url", token_url.as_str());
                oauth.add("client_id", "$client_id");
                oauth.add("client_secret", "$client_secret");
                if let Some(scope) = scope {
                    oauth.add("scope", scope.as_str());
                }
                way.add("oauth", oauth);
            }
        }
        Some(way)
    }
}

/// A way to prove who calls, its rank among those that are used alike, and why it must be reviewed.
fn parse_scheme(scheme: &Node<'_>) -> Option<(Auth, u8, &'static str)> {
    match scheme.text("type")? {
        "http" => match scheme.text("scheme")?.to_ascii_lowercase().as_str() {
            "basic" => {
                Some((Auth::Basic, 2, "the document's choice among several, if it has several"))
            }
            "bearer" => Some((Auth::Bearer, 1, "a token that the operator has")),
            _ => None,
        },
        "apiKey" => {
            let name = scheme.text("name")?;
            let (location, fits) = match scheme.text("in")? {
                "header" => ("header", is_header(name)),
                "query" => ("query", is_name(name)),
                _ => return None,
            };
            (fits && name.len() <= 100).then(|| {
                (
                    Auth::Key { location, name: name.to_owned() },
                    3,
                    "the key stands alone in this place",
                )
            })
        }
        "oauth2" => {
            let flow = scheme.get("flows").and_then(|flows| flows.get("clientCredentials"));
            let Some(flow) = flow else {
                return Some((
                    Auth::Bearer,
                    4,
                    "an access token; its own grant is not carried out",
                ));
            };
            let url = flow.text("tokenUrl").filter(|url| is_base(url));
            let Some(url) = url else {
                return Some((
                    Auth::Bearer,
                    4,
                    "an access token; the document has no full URL for tokens",
                ));
            };
            let is_scope =
                |name: &&str| name.chars().all(|c| c.is_ascii_graphic()) && name.len() <= 200;
            let scopes = flow.get("scopes");
            let scopes: Vec<&str> = scopes
                .iter()
                .flat_map(Node::entries)
                .map(|(name, _)| name)
                .filter(is_scope)
                .take(20)
                .collect();
            let scope = (!scopes.is_empty()).then(|| scopes.join(" "));
            Some((
                Auth::Oauth { token_url: url.to_owned(), scope },
                0,
                "all scopes of the document; ask for fewer",
            ))
        }
        "openIdConnect" => {
            Some((Auth::Bearer, 5, "an access token; its own grant is not carried out"))
        }
        _ => None,
    }
}

/// Whether a text is the URL of an API as the language has it.
fn is_base(url: &str) -> bool {
    let host = ["https://", "http://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    host.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && url.chars().all(|c| c.is_ascii_graphic())
        && !url.contains(['?', '#', '@', '\\', '{', '}', '$'])
        && url.len() <= 500
}

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
    if let Some(auth) = security.to_mapping() {
        http.guess("auth", auth, security.why);
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
                content.entries().find(|(name, _)| crate::conversion::body::is_json(name))?;
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
