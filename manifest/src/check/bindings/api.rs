//! Providers that are HTTP APIs: credentials, limits and failures.

use serde_json::{Map, Value, json};

use super::codes;
use super::header;
use super::json_path::JsonPath;
use super::reads;
use super::request::{RawParts, parts};
use super::result::NamedShapes;
use super::scope::Scope;
use super::settings::{self, Settings};
use super::template::requirements;
use crate::check::names::lookup::DeclaredNames;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{Model, Setting, SettingType};
use crate::raw::{
    Entry, RawApiKey, RawAuth, RawAuths, RawErrorRule, RawErrorRules, RawExchange, RawHttpApi,
    RawProbe, Written,
};
use crate::yaml::Text;

/// Lowers an API.
pub(super) fn api(
    name: &str,
    raw: &RawHttpApi,
    (model, settings): (&Model, &[Setting]),
    shapes: &NamedShapes,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Value {
    let declared = Settings(settings);
    let mut scope = Scope::new(model, &[], settings);
    let mut table = json!({ "name": name, "settings": settings::table(settings) });
    if let Some(base) = raw.base.as_ref().and_then(|base| declared.base(base, report)) {
        table["base"] = base;
    }
    if let Some(ways) = &raw.auth {
        table["auth"] = declared.auths(ways, report);
    }
    if let Some(probe) = raw.probe.as_ref().and_then(|raw| probe(&mut scope, raw, report)) {
        table["probe"] = probe;
    }
    if let Some(rate) = &raw.rate {
        let per = json!({ "secs": rate.value.per.as_secs(), "nanos": 0 });
        table["rate"] = json!({ "requests": rate.value.requests, "per": per });
    }
    if let Some(concurrency) = &raw.concurrency {
        table["concurrency"] = json!(concurrency.value);
    }
    if let Some(raw) = &raw.shapes {
        table["shapes"] = shapes.lower(&mut scope, raw, report);
    }
    if let Some(errors) = &raw.errors {
        table["errors"] = self::errors(errors, lookup, report);
    }
    table
}

impl Settings<'_> {
    /// The name of a setting, written `$name`; `None` if there is none, which is reported.
    fn name<'a>(&self, text: &'a Text, report: &mut Report) -> Option<&'a str> {
        let Some(name) = text.value.strip_prefix('$') else {
            report.push(
                Problem::error(text.place, "credentials do not stand in a manifest")
                    .expected("`$` and the name of a setting"),
            );
            return None;
        };
        self.needed(name, text.place, report).map(|_| name)
    }

    /// Finds a setting without which no request has credentials.
    fn needed(&self, name: &str, place: Place, report: &mut Report) -> Option<&Setting> {
        let setting = self.find(name, place, report)?;
        if setting.optional {
            let message = format!("the setting `{name}` is optional, and credentials need it");
            report.push(Problem::error(place, message).help("remove the `?` from the setting"));
        }
        Some(setting)
    }

    /// A URL, or the setting with one.
    fn base(&self, text: &Text, report: &mut Report) -> Option<Value> {
        if let Some(name) = text.value.strip_prefix('$') {
            let setting = self.find(name, text.place, report)?;
            if setting.ty != SettingType::Text || setting.sensitive || setting.optional {
                report.push(
                    Problem::error(text.place, format!("the setting `{name}` is not a URL"))
                        .expected("a required setting of the type `string` that is no secret"),
                );
            }
            return Some(json!({ "setting": name }));
        }
        let host =
            ["https://", "http://"].iter().find_map(|scheme| text.value.strip_prefix(scheme));
        let is_url = host.is_some_and(|rest| {
            !rest.is_empty() && !rest.starts_with('/') && !rest.contains(['?', '#', '@', ' ', '\\'])
        });
        if !is_url {
            report.push(
                Problem::error(text.place, format!("`{}` is not the URL of an API", text.value))
                    .expected("`https://host/path` without a query and a user, or `$setting`"),
            );
        }
        Some(json!({ "url": text.value }))
    }

    /// Ways that hold at once. At most one of them sets a header or a parameter.
    fn auths(&self, RawAuths(raw): &RawAuths, report: &mut Report) -> Value {
        let mut ways: Vec<Value> = Vec::new();
        for one in raw {
            let Some(way) = self.auth(one, report) else { continue };
            let place = place_of_credential(&way);
            if ways.iter().any(|other| place_of_credential(other) == place) {
                let message = format!("two ways of `auth` set {place}");
                report.push(Problem::error(one.place, message).help("keep one of them"));
            }
            ways.push(way);
        }
        ways.into()
    }

    fn auth(
        &self,
        Written { keys: raw, place, .. }: &Written<RawAuth>,
        report: &mut Report,
    ) -> Option<Value> {
        let place = *place;
        let setting = |text: &Option<Text>, report: &mut Report| {
            self.name(text.as_ref()?, report).map(str::to_owned)
        };
        let mut ways = Vec::new();
        if let Some(basic) = &raw.basic {
            let (user, password) =
                (setting(&basic.user, report)?, setting(&basic.password, report)?);
            ways.push(json!({ "basic": { "user": user, "password": password } }));
        }
        if raw.bearer.is_some() {
            ways.push(json!({ "bearer": { "token": setting(&raw.bearer, report)? } }));
        }
        if let Some(key) = &raw.api_key {
            ways.push(self.api_key(key, report)?);
        }
        if let Some(oauth) = &raw.oauth {
            ways.push(json!({ "client_credentials": {
                "token_url": self.base(oauth.token_url.as_ref()?, report)?,
                "client_id": setting(&oauth.client_id, report)?,
                "client_secret": setting(&oauth.client_secret, report)?,
                "scope": oauth.scope.as_ref().map(|scope| &scope.value),
                "audience": oauth.audience.as_ref().map(|audience| &audience.value),
            } }));
        }
        if let Some(exchange) = &raw.exchange {
            ways.push(json!({ "exchange": self.exchange(exchange, report)? }));
        }
        if ways.len() != 1 {
            let what = if ways.is_empty() { "no way" } else { "more than one way" };
            report.push(
                Problem::error(place, format!("`auth` has {what}")).expected(
                    "exactly one of `basic`, `bearer`, `api_key`, `oauth` and `exchange`",
                ),
            );
        }
        ways.pop()
    }

    fn exchange(&self, raw: &RawExchange, report: &mut Report) -> Option<Value> {
        let path = raw.post.as_ref()?;
        let (kind, fields) = match (&raw.json, &raw.form) {
            (Some(fields), None) => ("json", fields),
            (None, Some(fields)) => ("form", fields),
            _ => {
                report.push(
                    Problem::error(path.place, "it is not clear what the exchange sends")
                        .expected("exactly one of `json` and `form`"),
                );
                return None;
            }
        };
        if !path.value.starts_with('/') || path.value.contains(['?', '#', ' ', '\\', '{']) {
            report.push(
                Problem::error(
                    path.place,
                    format!("`{}` is not the path of a request", path.value),
                )
                .expected("a path that begins with `/`, without a query and values"),
            );
        }
        let fields = fields.0.iter().filter_map(|Entry { key, value }| {
            let text = value.as_ref()?;
            let value = match text.value.strip_prefix('$') {
                Some(name) => {
                    self.needed(name, text.place, report)?;
                    json!({ "setting": name })
                }
                None => json!({ "text": text.value }),
            };
            Some(json!({ "name": key.value, "value": value }))
        });
        let fields: Vec<Value> = fields.collect();
        Some(json!({
            "path": path.value,
            "body": kind,
            "fields": fields,
            "token": reads::path_table(raw.token.as_ref()?, report)?,
            "lifetime": raw.lifetime.as_ref().and_then(|path| reads::path_table(path, report)),
            "scheme": raw.scheme.as_ref().map_or("Bearer", |scheme| &scheme.value),
        }))
    }

    fn api_key(&self, raw: &RawApiKey, report: &mut Report) -> Option<Value> {
        let value = raw.value.as_ref()?;
        let key = self.name(value, report)?;
        match (&raw.header, &raw.query) {
            (Some(header), None) => {
                header::name(&header.value, header.place, report);
                Some(json!({ "header_key": { "header": header.value, "key": key } }))
            }
            (None, Some(query)) => {
                Some(json!({ "query_key": { "parameter": query.value, "key": key } }))
            }
            _ => {
                report.push(
                    Problem::error(value.place, "it is not clear where the key stands")
                        .expected("exactly one of `header` and `query`"),
                );
                None
            }
        }
    }
}

/// What a way of `auth` sets in a request, in words.
fn place_of_credential(way: &Value) -> String {
    let name = |kind: &str, key: &str| way.get(kind)?.get(key)?.as_str();
    match (name("header_key", "header"), name("query_key", "parameter")) {
        (Some(header), _) => format!("the header `{}`", header.to_ascii_lowercase()),
        (_, Some(parameter)) => format!("the parameter `{parameter}`"),
        _ => "the header `authorization`".to_owned(),
    }
}

fn probe(scope: &mut Scope<'_>, raw: &RawProbe, report: &mut Report) -> Option<Value> {
    let path = raw.get.as_ref()?;
    let request = RawParts { path, query: raw.query.as_ref(), headers: raw.headers.as_ref() };
    let mut table = json!({ "request": parts(scope, &request, false, report) });
    if let Some(require) = &raw.require {
        table["require"] = requirements(scope, require, false, report);
    }
    Some(table)
}

fn errors(raw: &RawErrorRules, lookup: &DeclaredNames<'_>, report: &mut Report) -> Value {
    let mut table = Map::new();
    for (key, text) in [("message", &raw.message), ("fields", &raw.fields)] {
        let path = text.as_ref().and_then(|text| reads::path_table(text, report));
        table.extend(path.map(|path| (key.to_owned(), path)));
    }
    let rules = raw.codes.iter().flatten().filter_map(|rule| self::rule(rule, lookup, report));
    table.insert("rules".to_owned(), rules.collect());
    table.into()
}

fn rule(raw: &RawErrorRule, lookup: &DeclaredNames<'_>, report: &mut Report) -> Option<Value> {
    let marks = raw.when.as_ref()?.0.iter().filter_map(|Entry { key, value }| {
        let value = value.as_ref()?;
        mark(key, &value.value, value.place, report)
    });
    let marks: Vec<Value> = marks.collect();
    let code = codes::code(raw.code.as_ref()?, lookup, report)?;
    Some(json!({ "when": marks, "code": code, "at": raw.at.as_ref().map(|at| &at.value) }))
}

fn mark(key: &Text, value: &Value, place: Place, report: &mut Report) -> Option<Value> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    };
    let wrong = |expected: &str| {
        let message = format!("the value of `{}` does not fit", key.value);
        Problem::error(place, message).expected(expected)
    };
    if key.value == "status" {
        let status = value.as_u64().filter(|status| (100..=599).contains(status));
        if status.is_none() {
            report.push(wrong("a status from 100 to 599"));
        }
        return Some(json!({ "status": status? }));
    }
    let Some(text) = text(value) else {
        report.push(wrong("a text, a number or a boolean"));
        return None;
    };
    if let Some(header) = key.value.strip_prefix("header ") {
        return Some(json!({ "header": [header.trim(), text] }));
    }
    let Ok(path) = JsonPath::parse(&key.value) else {
        let message = format!("`{}` does not select a part of an answer", key.value);
        report
            .push(Problem::error(key.place, message).expected("a path, `header NAME` or `status`"));
        return None;
    };
    Some(json!({ "body": [path.table(), value] }))
}
