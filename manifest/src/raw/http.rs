//! How providers and operations are bound to HTTP APIs, as written.

use std::num::{NonZeroU16, NonZeroU32};
use std::time::Duration;

use serde_json::Value;

use super::read::{Entries, FromNode, Located, mapping, wrong_kind};
use crate::diagnostics::{Place, Report};
use crate::yaml::{Kind, Node, Text};

/// JSON with places for values: `$name`.
#[derive(Debug, Clone)]
pub(crate) struct RawTemplate(pub(crate) Node);

impl Default for RawTemplate {
    /// A template that cannot be read, which is reported.
    fn default() -> Self {
        Self(Node { place: Place::start_of(0), kind: Kind::Refused })
    }
}

impl FromNode for RawTemplate {
    fn from_node(node: &Node, owner: Place, _: &mut Report) -> Option<Self> {
        // An empty value has no characters to point at.
        let place = if matches!(node.kind, Kind::Null) { owner } else { node.place };
        Some(Self(Node { place, kind: node.kind.clone() }))
    }
}

/// A place in an answer, or several, or the fields of a result. `check` reads it, because its meaning depends on the
/// type that it belongs to.
pub(crate) type RawRead = RawTemplate;

/// A setting: only its type, or a mapping.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawSetting(pub(crate) RawLongSetting);

impl FromNode for RawSetting {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        if let Kind::Mapping(_) = node.kind {
            return RawLongSetting::from_node(node, owner, report).map(Self);
        }
        let r#type = Some(Text::from_node(node, owner, report)?);
        Some(Self(RawLongSetting { r#type, ..RawLongSetting::default() }))
    }
}

/// A parameter of a query or form: a template, or a mapping that says how a list is written.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawParameter {
    pub(crate) value: RawTemplate,
    pub(crate) style: Option<Text>,
}

impl FromNode for RawParameter {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        let is_long = |members: &[(Text, Node)]| {
            members.iter().any(|(key, _)| matches!(key.value.as_str(), "value" | "style"))
        };
        if let Kind::Mapping(members) = &node.kind
            && is_long(members)
        {
            let long = RawLongParameter::from_node(node, owner, report)?;
            return Some(Self { value: long.value.unwrap_or_default(), style: long.style });
        }
        RawTemplate::from_node(node, owner, report).map(|value| Self { value, style: None })
    }
}

/// How many requests may be sent in which time: `10/s`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestRate {
    pub(crate) requests: NonZeroU32,
    pub(crate) per: Duration,
}

impl FromNode for Located<RequestRate> {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        let value = match &node.kind {
            Kind::Text(text) => request_rate(&text.value),
            _ => None,
        };
        if value.is_none() {
            wrong_kind(
                node,
                owner,
                "a number of requests and a time, such as 10/s or 1000/h",
                report,
            );
        }
        Some(Self { value: value?, place: node.place })
    }
}

fn request_rate(text: &str) -> Option<RequestRate> {
    let (requests, per) = text.split_once('/')?;
    let per = match per {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        _ => return None,
    };
    Some(RequestRate { requests: requests.parse().ok()?, per: Duration::from_secs(per) })
}

/// A mapping together with what is written there.
#[derive(Debug, Clone)]
pub(crate) struct Written<T> {
    pub(crate) keys: T,
    pub(crate) json: Value,
    /// The place of its key.
    pub(crate) place: Place,
}

impl<T: FromNode> FromNode for Written<T> {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        let keys = T::from_node(node, owner, report)?;
        // A refused part is reported.
        Some(Self { keys, json: node.to_value().unwrap_or_default(), place: owner })
    }
}

/// How requests prove who sends them: one way, or several at once.
#[derive(Debug, Clone)]
pub(crate) struct RawAuths(pub(crate) Vec<Written<RawAuth>>);

impl FromNode for RawAuths {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        if let Kind::Sequence(_) = node.kind {
            return Vec::from_node(node, owner, report).map(Self);
        }
        Written::from_node(node, owner, report).map(|way| Self(vec![way]))
    }
}

mapping! {
    /// Something that the operator says about a provider.
    RawLongSetting, "a setting" {
        /// `string`, `integer` or `boolean`.
        r#type: Text [required],
        /// It is a secret. Only `auth` may use it.
        sensitive: Located<bool>,
        /// `account` if each account may have its own.
        per: Text,
        /// For operators.
        description: Text,
        /// A valid value.
        example: Located<Value>,
    }

    /// An HTTP API.
    RawHttpApi, "`http` of a provider" {
        /// The URL that the paths of requests continue, or `$setting`.
        base: Text [required],
        /// How requests prove who sends them: a way, or a list of ways that all hold at once. An open API has none.
        auth: RawAuths,
        /// A request that tells whether the settings are right.
        probe: RawProbe,
        /// How many requests may be sent: `10/s`, `100/m` or `1000/h`.
        rate: Located<RequestRate>,
        /// How many requests may run at once.
        concurrency: Located<NonZeroU16>,
        /// How declared types are read from answers: for each type, where its fields are. Other fields have the same name
        /// there.
        shapes: Entries<Entries<RawRead>>,
        /// What failures mean.
        errors: RawErrorRules,
    }

    /// A way in which requests prove who sends them. Exactly one.
    RawAuth, "`auth`" {
        /// HTTP Basic.
        basic: RawBasicAuth,
        /// A bearer token.
        bearer: Text,
        /// A key in a header or in the query.
        api_key: RawApiKey,
        /// Client credentials of OAuth 2.0.
        oauth: RawOauth,
        /// A request that exchanges credentials for a token.
        exchange: RawExchange,
    }

    /// A request that exchanges credentials for a token. Exactly one of `json` and `form`.
    RawExchange, "`exchange`" {
        /// The path.
        post: Text [required],
        /// A body of JSON: texts, or `$` and the names of settings, also of secrets.
        json: Entries<Option<Text>>,
        /// A body of form fields, as for `json`.
        form: Entries<Option<Text>>,
        /// Where the answer has the token.
        token: Text [required],
        /// Where the answer says for how many seconds the token is valid.
        lifetime: Text,
        /// The word before the token in the header `Authorization`. `Bearer` unless given.
        scheme: Text,
    }

    /// HTTP Basic.
    RawBasicAuth, "`basic`" {
        /// The setting with the user.
        user: Text [required],
        /// The setting with the password.
        password: Text [required],
    }

    /// A key in a header or in the query. Exactly one of `header` and `query`.
    RawApiKey, "`api_key`" {
        /// The name of the header.
        header: Text,
        /// The name of the parameter.
        query: Text,
        /// The setting with the key.
        value: Text [required],
    }

    /// Client credentials of OAuth 2.0.
    RawOauth, "`oauth`" {
        /// Where tokens are issued: a URL, or `$setting`.
        token_url: Text [required],
        /// The setting with the client's id.
        client_id: Text [required],
        /// The setting with the client's secret.
        client_secret: Text [required],
        /// The scope to ask for.
        scope: Text,
        /// The audience to ask for.
        audience: Text,
    }

    /// A request that tells whether the settings are right.
    RawProbe, "`probe`" {
        /// The path.
        get: Text [required],
        /// The query.
        query: Entries<RawParameter>,
        /// Headers.
        headers: Entries<RawTemplate>,
        /// What the answer must say: paths and values.
        require: Entries<RawTemplate>,
    }

    /// What failures mean.
    RawErrorRules, "`errors`" {
        /// Where an answer says in words what happened.
        message: Text,
        /// Where an answer has an object with what is wrong with each field.
        fields: Text,
        /// Answers that mean something else than their status. The first that fits decides.
        codes: Vec<RawErrorRule>,
    }

    /// An answer that means something else than its status.
    RawErrorRule, "an entry of `codes`" {
        /// What the answer has: paths, `header NAME` or `status`, each with its value.
        when: Entries<Option<Located<Value>>> [required],
        /// The code.
        code: Text [required],
        /// The parameter that is wrong, as a JSON pointer.
        at: Text,
    }

    /// The request of an operation. Exactly one of `get`, `post`, `put`, `patch` and `delete`, and at most one body.
    RawRequest, "`http` of an operation" {
        /// The provider. Only if several have `http`.
        provider: Text,
        /// Reads that come first, by their names; at most three.
        first: Entries<RawStep>,
        /// The path.
        get: Text,
        /// The path.
        post: Text,
        /// The path.
        put: Text,
        /// The path.
        patch: Text,
        /// The path.
        delete: Text,
        /// The query. A key that ends in `?` is left out if its value is absent.
        query: Entries<RawParameter>,
        /// Headers.
        headers: Entries<RawTemplate>,
        /// A body of JSON.
        json: RawTemplate,
        /// A body of form fields.
        form: Entries<RawParameter>,
        /// A body of parts: texts, or files with `content`, `file_name` and `media_type`.
        multipart: Entries<RawTemplate>,
        /// A body of text.
        text: RawTemplate,
        /// A body of bytes.
        bytes: RawBytes,
        /// A body of JSON or text that has another media type.
        body: RawBody,
        /// How a list is read in pages.
        page: RawHttpPage,
        /// Where the result is. The whole body unless given.
        result: RawRead,
    }

    /// A parameter of a query or form, with the style of lists.
    RawLongParameter, "a parameter" {
        /// The value.
        value: RawTemplate [required],
        /// How a list is written: `comma`, `repeat` or `brackets`.
        style: Text,
    }

    /// A body with its media type. Exactly one of `json` and `text`.
    RawBody, "`body`" {
        /// The media type, such as `application/merge-patch+json`.
        r#type: Text [required],
        /// Its content as JSON.
        json: RawTemplate,
        /// Its content as text.
        text: RawTemplate,
    }

    /// A body of bytes.
    RawBytes, "`bytes`" {
        /// The parameter with the bytes as Base64.
        content: Text [required],
        /// The media type.
        media_type: RawTemplate [required],
    }

    /// A read that comes first.
    RawStep, "a step of `first`" {
        /// The path.
        get: Text [required],
        /// The query.
        query: Entries<RawParameter>,
        /// Headers.
        headers: Entries<RawTemplate>,
        /// Which element of the answer is meant.
        pick: RawPick,
        /// What the answer, or the element, must say: paths and values.
        require: Entries<RawTemplate>,
        /// The code if it does not. `CONFLICT` unless given.
        r#else: Text,
    }

    /// Which element of an answer is meant.
    RawPick, "`pick`" {
        /// The list.
        from: Text [required],
        /// What the element has: paths and values.
        r#where: Entries<RawTemplate> [required],
        /// The parameter that names the element, as a JSON pointer.
        at: Text,
        /// Where an element has the value to suggest.
        offer: Text,
    }

    /// How a list is read in pages. Exactly one of `number`, `offset`, `cursor` and `link`.
    RawHttpPage, "`page` of `http`" {
        /// The parameter for the number of items.
        size: Text,
        /// The parameter for the number of the page.
        number: Text,
        /// The number of the first page. 1 unless given.
        first: Located<u64>,
        /// Where an answer says how many pages there are.
        pages: RawRead,
        /// The parameter for the number of items before the page.
        offset: Text,
        /// The parameter for the cursor.
        cursor: Text,
        /// Where an answer has the next cursor.
        next: RawRead,
        /// The header `Link` has the next page.
        link: Located<bool>,
        /// Where an answer says how many items there are.
        total: RawRead,
    }
}
