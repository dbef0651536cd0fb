//! How calls prove who they are.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::conversion::parameters::is_header;
use crate::conversion::property::is_name;
use crate::document::endpoint::Endpoint;
use crate::document::node::Node;
use crate::language::names::{Names, to_snake_case};
use crate::language::written::is_base;
use crate::language::yaml::{Mapping, Yaml};
use crate::losses::{Kind, Losses};

const LONGEST_SETTING: usize = 40;

/// A way to prove who calls, with the name of its setting if it may have several.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Auth {
    Basic,
    Bearer,
    Key { location: &'static str, name: String, setting: String },
    Oauth { token_url: String, scope: Option<String> },
}

/// A scheme of the document that the language has.
struct Scheme<'a> {
    name: &'a str,
    auth: Auth,
    /// Which of several that are used alike is the best, the smallest first.
    rank: u8,
    why: &'static str,
    pointer: String,
}

/// The ways that most operations accept together, as far as the language has them.
pub(crate) struct Security {
    ways: Vec<Auth>,
    why: &'static str,
}

impl Security {
    /// Chooses how to prove who calls. Other ways are losses.
    pub(crate) fn choose(root: &Node<'_>, endpoints: &[Endpoint<'_>], losses: &mut Losses) -> Self {
        let schemes = read_schemes(root, losses);
        let chosen = most_used(&schemes, root, endpoints);
        let (mut ways, mut why) = (Vec::new(), "");
        let mut names = Names::from_taken(&["url", "user", "password", "token"]);
        for (at, scheme) in schemes.into_iter().enumerate() {
            if !chosen.contains(&at) || ways.iter().any(|way| is_same_place(way, &scheme.auth)) {
                let message = "only one way to prove who calls is kept";
                losses.add(Kind::Security, &scheme.pointer, message);
                continue;
            }
            why = if ways.is_empty() { scheme.why } else { "sent together, as the document says" };
            let mut auth = scheme.auth;
            if let Auth::Key { setting, .. } = &mut auth {
                let name = match chosen.len() {
                    1 => "api_key".to_owned(),
                    _ => to_snake_case(scheme.name, "api_key", LONGEST_SETTING),
                };
                *setting = names.claim(&name, "_");
            }
            ways.push(auth);
        }
        Self { ways, why }
    }

    /// The names of the parameters and headers that have keys.
    pub(crate) fn credentials(&self) -> Vec<&str> {
        let keys = self.ways.iter().filter_map(|way| match way {
            Auth::Key { name, .. } => Some(name.as_str()),
            _ => None,
        });
        keys.collect()
    }

    /// Why it must be reviewed.
    pub(crate) fn why(&self) -> &'static str {
        self.why
    }

    pub(crate) fn add_settings(&self, settings: &mut Mapping) {
        let secret = || {
            let mut secret = Mapping::default();
            secret.add("type", "string");
            secret.add("sensitive", true);
            secret
        };
        for way in &self.ways {
            match way {
                Auth::Basic => {
                    settings.add("user", "string");
                    settings.add("password", secret());
                }
                Auth::Bearer => settings.add("token", secret()),
                Auth::Key { setting, .. } => settings.add(setting.as_str(), secret()),
                Auth::Oauth { .. } => {
                    settings.add("client_id", "string");
                    settings.add("client_secret", secret());
                }
            }
        }
    }

    /// `auth` of the provider; `None` if the API is open to everyone.
    pub(crate) fn written(&self) -> Option<Yaml> {
        let mut ways: Vec<Yaml> = self.ways.iter().map(|way| write_way(way).into()).collect();
        match ways.len() {
            0 | 1 => ways.pop(),
            _ => Some(ways.into()),
        }
    }
}

fn write_way(way: &Auth) -> Mapping {
    let mut written = Mapping::default();
    match way {
        Auth::Basic => {
            let mut basic = Mapping::default();
            basic.add("user", "$user");
            basic.add("password", "$password");
            written.add("basic", basic);
        }
        Auth::Bearer => written.add("bearer", "$token"),
        Auth::Key { location, name, setting } => {
            let mut key = Mapping::default();
            key.add(*location, name.as_str());
            key.add("value", format!("${setting}"));
            written.add("api_key", key);
        }
        Auth::Oauth { token_url, scope } => {
            let mut oauth = Mapping::default();
            oauth.add("token_url", token_url.as_str());
            oauth.add("client_id", "$client_id");
            oauth.add("client_secret", "$client_secret");
            if let Some(scope) = scope {
                oauth.add("scope", scope.as_str());
            }
            written.add("oauth", oauth);
        }
    }
    written
}

/// The schemes that the language has. The others are losses.
fn read_schemes<'a>(root: &Node<'a>, losses: &mut Losses) -> Vec<Scheme<'a>> {
    let schemes = root.get("components").and_then(|all| all.get("securitySchemes"));
    let mut read = Vec::new();
    for (name, raw) in schemes.iter().flat_map(Node::entries) {
        let Some(scheme) = raw.resolve() else { continue };
        let pointer = scheme.location();
        let Some((auth, rank, why)) = parse_scheme(&scheme) else {
            let message = "this way to prove who calls does not exist here";
            losses.add(Kind::Security, &pointer, message);
            continue;
        };
        read.push(Scheme { name, auth, rank, why, pointer });
    }
    read
}

/// The schemes that most operations accept together, by their positions.
fn most_used(schemes: &[Scheme<'_>], root: &Node<'_>, endpoints: &[Endpoint<'_>]) -> Vec<usize> {
    // Without a requirement, a scheme alone.
    let mut uses: HashMap<Vec<usize>, usize> = (0..schemes.len()).map(|at| (vec![at], 0)).collect();
    let of_operations = endpoints.iter().filter_map(|endpoint| endpoint.node.raw("security"));
    // What holds for all operations counts more than what some of them name.
    let lists = of_operations
        .map(|list| (list, 1))
        .chain(root.raw("security").map(|list| (list, endpoints.len() + 1)));
    for (list, weight) in lists {
        for requirement in list.items() {
            let is_required = |at: &usize| requirement.has(schemes[*at].name);
            let together: Vec<usize> = (0..schemes.len()).filter(is_required).collect();
            if !together.is_empty() {
                *uses.entry(together).or_default() += weight;
            }
        }
    }
    let best = uses.into_iter().min_by_key(|(together, count)| {
        let rank = together.iter().map(|at| schemes[*at].rank).min();
        (Reverse(*count), rank, together.clone())
    });
    best.map(|(together, _)| together).unwrap_or_default()
}

/// Whether two ways set the same part of a request, or the same settings.
fn is_same_place(one: &Auth, other: &Auth) -> bool {
    let place = |auth: &Auth| match auth {
        Auth::Key { location, name, .. } => {
            format!(
                "{location} {}",
                if *location == "header" { name.to_lowercase() } else { name.clone() }
            )
        }
        _ => "header authorization".to_owned(),
    };
    place(one) == place(other)
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
                    Auth::Key { location, name: name.to_owned(), setting: String::new() },
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
