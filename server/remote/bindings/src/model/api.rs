use std::num::{NonZeroU16, NonZeroU32};
use std::time::Duration;

use serde::Deserialize;

use super::{ErrorRules, List, NamedShape, Path, Request, Requirement, Text};

/// An HTTP API, as a provider in the manifest describes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default)]
pub struct Api {
    /// The name of the provider, such as `wordpress`.
    pub name: Text,
    /// What the operator must say.
    pub settings: List<Setting>,
    /// Where the API is.
    pub base: Base,
    /// How requests prove who sends them: in all these ways at once. Empty if the API is open to everyone.
    pub auth: List<Auth>,
    /// A request that tells whether the settings are right.
    pub probe: Option<Probe>,
    /// How many requests may be sent; `None` for no limit.
    pub rate: Option<Rate>,
    /// How many requests may run at once; `None` for no limit.
    pub concurrency: Option<NonZeroU16>,
    /// How the types of the manifest are read from answers.
    pub shapes: List<NamedShape>,
    /// What the failures of the API mean.
    pub errors: ErrorRules,
}

impl Api {
    /// An open API without settings. Tables are written as changes of this one.
    pub const BARE: Self = Self {
        name: Text::Borrowed(""),
        settings: List::Borrowed(&[]),
        base: Base::Url(Text::Borrowed("")),
        auth: List::Borrowed(&[]),
        probe: None,
        rate: None,
        concurrency: None,
        shapes: List::Borrowed(&[]),
        errors: ErrorRules::NONE,
    };
}

impl Default for Api {
    /// [`Self::BARE`].
    fn default() -> Self {
        Self::BARE
    }
}

/// The URL that the paths of all requests continue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    Url(Text),
    /// The URL in a setting.
    Setting(Text),
}

/// Something that the operator must say.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Setting {
    /// Its name, such as `url`.
    pub name: Text,
    pub ty: SettingType,
    /// Whether it is a secret. Secrets stand only in [`Auth`], and only the operator's configuration says where
    /// they are.
    pub sensitive: bool,
    /// Whether each account has its own.
    pub per_account: bool,
    /// Whether it may be missing.
    pub optional: bool,
}

impl Setting {
    /// A required text that is no secret and is the same for all accounts.
    pub const TEXT: Self = Self {
        name: Text::Borrowed(""),
        ty: SettingType::Text,
        sensitive: false,
        per_account: false,
        optional: false,
    };
}

impl Default for Setting {
    /// [`Self::TEXT`].
    fn default() -> Self {
        Self::TEXT
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingType {
    Text,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
}

/// How requests prove who sends them. Each text is the name of a setting, unless it says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Auth {
    /// HTTP Basic.
    Basic { user: Text, password: Text },
    /// A bearer token.
    Bearer { token: Text },
    /// A key in a header of the API.
    HeaderKey {
        /// The name of the header.
        header: Text,
        key: Text,
    },
    QueryKey {
        /// The name of the parameter.
        parameter: Text,
        key: Text,
    },
    /// A bearer token that an authorization server issues for client credentials: RFC 6749, section 4.4.
    ClientCredentials {
        /// Where tokens are issued.
        token_url: Base,
        /// The client's id.
        client_id: Text,
        /// The client's secret.
        client_secret: Text,
        /// The scope to ask for, itself and not a setting.
        scope: Option<Text>,
        /// The audience to ask for, itself and not a setting.
        audience: Option<Text>,
    },
    /// A token for which the API exchanges credentials in its own way, such as by a request that logs in.
    Exchange(TokenExchange),
}

/// A `POST` that exchanges credentials for a token.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TokenExchange {
    /// The path, which continues the base.
    pub path: Text,
    /// How the fields are written.
    pub body: ExchangeBody,
    /// What is sent.
    pub fields: List<ExchangeField>,
    /// Where the answer has the token.
    pub token: Path,
    /// Where the answer says for how many seconds the token is valid.
    #[serde(default)]
    pub lifetime: Option<Path>,
    /// The scheme of the token in the header `Authorization`, such as `Bearer`.
    pub scheme: Text,
}

/// How the fields of an exchange are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExchangeBody {
    /// As a JSON object.
    Json,
    /// As `application/x-www-form-urlencoded`.
    Form,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ExchangeField {
    pub name: Text,
    /// Its value.
    pub value: SettingOrText,
}

/// A value that the operator or the table says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingOrText {
    /// The value of a setting, also of a sensitive one.
    Setting(Text),
    Text(Text),
}

/// A request that tells whether the settings are right. Some APIs answer a wrong password with the rights of an
/// anonymous user, so that the answer must say who asks.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Probe {
    /// The request, a `GET`.
    pub request: Request,
    /// What its answer must say.
    #[serde(default)]
    pub require: List<Requirement>,
}

/// A number of requests in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Rate {
    /// How many requests.
    pub requests: NonZeroU32,
    /// In which time, longer than zero.
    pub per: Duration,
}
