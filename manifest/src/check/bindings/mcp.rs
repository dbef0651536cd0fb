//! Providers that are other MCP servers, and the operations that are their tools.

use serde_json::{Value, json};
use toolwrit_words::headers::is_set_by_connection;

use super::command::{folder, setting_or_text, variables};
use super::result::NamedShapes;
use super::scope::Scope;
use super::settings::{self, Settings};
use super::template::{Fits, Standing, entry, template, value};
use super::{arguments, effect_word, header, rules, versions, words};
use crate::check::names::optional::split_optional;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{
    BindingKind, Effect, Model, Operation, OperationId, Presence, ProviderId, Returns, Setting,
    SettingType, Shape,
};
use crate::raw::lock_file::{LockFile, LockedTool};
use crate::raw::{
    Entries, Entry, RawLongTool, RawMcpServer, RawOperation, RawTemplate, RawTool, Written,
};
use crate::yaml::Text;

/// Lowers a provider.
pub(super) fn provider(
    name: &str,
    written: &Written<RawMcpServer>,
    (model, declared, lock): (&Model, &[Setting], &LockFile),
    report: &mut Report,
) -> Value {
    let raw = &written.keys;
    let settings = Settings(declared);
    let endpoint = match (&raw.command, &raw.url) {
        (Some(_), None) => program(model, declared, written, report),
        (None, Some(url)) => {
            report_misplaced(raw.folder.as_ref(), "folder", report);
            remote(&settings, raw, url, report)
        }
        _ => {
            report.push(
                Problem::error(written.place, "it is not clear where the MCP server is")
                    .expected("one of `command` and `url`"),
            );
            Value::Null
        }
    };
    json!({
        "name": name,
        "settings": settings::table(declared),
        "endpoint": endpoint,
        "lock": lock.path,
    })
}

fn program(
    model: &Model,
    declared: &[Setting],
    written: &Written<RawMcpServer>,
    report: &mut Report,
) -> Value {
    let raw = &written.keys;
    let settings = Settings(declared);
    let command = raw.command.as_deref();
    versions::check(command.unwrap_or_default(), report);
    let mut scope = Scope::of_command(model, &[], declared);
    let mut words = words::words(&mut scope, command, written.place, report);
    let program = if words.is_empty() { Value::Null } else { words.remove(0) };
    let folder = raw.folder.as_ref().and_then(|text| folder(&settings, text, report));
    for (key, _) in headers(raw) {
        report_misplaced(Some(key), &key.value, report);
    }
    report_misplaced(raw.bearer.as_ref(), "bearer", report);
    json!({ "command": {
        "program": program,
        "words": words,
        "folder": folder,
        "environment": variables(&settings, raw.environment.as_ref(), report),
    } })
}

fn headers(raw: &RawMcpServer) -> impl Iterator<Item = (&Text, &Text)> {
    let headers = raw.headers.iter().flat_map(|headers| &headers.0);
    headers.filter_map(|Entry { key, value }| Some((key, value.as_ref()?)))
}

fn remote(settings: &Settings<'_>, raw: &RawMcpServer, url: &Text, report: &mut Report) -> Value {
    for Entry { key, .. } in raw.environment.iter().flat_map(|variables| &variables.0) {
        report_misplaced(Some(key), &key.value, report);
    }
    let all: Vec<Value> = headers(raw)
        .filter_map(|(key, text)| {
            header_name(key, report);
            header::value(split_optional(&key.value).0, text, report);
            setting_or_text(settings, key, text, "the name of the header", report)
        })
        .collect();
    json!({ "remote": {
        "url": self::url(settings, url, report),
        "headers": all,
        "bearer": raw.bearer.as_ref().and_then(|text| bearer(settings, text, report)),
    } })
}

/// Reports a key that belongs to the other kind of server.
fn report_misplaced(key: Option<&Text>, name: &str, report: &mut Report) {
    if let Some(key) = key {
        report.push(
            Problem::error(key.place, format!("`{name}` has no effect here")).help(
                "a server with `command` has `folder` and `environment`, one with `url` has `headers` and `bearer`",
            ),
        );
    }
}

fn header_name(key: &Text, report: &mut Report) {
    let (name, _) = split_optional(&key.value);
    if header::name(name, key.place, report) && is_set_by_connection(name) {
        report.push(
            Problem::error(key.place, format!("the header `{name}` is set by the connection"))
                .help("remove it"),
        );
    }
}

/// A URL, or the setting with one.
fn url(settings: &Settings<'_>, text: &Text, report: &mut Report) -> Option<Value> {
    let Some(name) = text.value.strip_prefix('$') else {
        if !["https://", "http://"].iter().any(|scheme| text.value.starts_with(scheme)) {
            report.push(
                Problem::error(text.place, format!("`{}` is not a URL", text.value))
                    .expected("a URL that begins with `https://`, or `$setting`"),
            );
        }
        return Some(json!({ "text": text.value }));
    };
    let setting = settings.find(name, text.place, report)?;
    if setting.ty != SettingType::Text || setting.sensitive || setting.optional {
        report.push(
            Problem::error(text.place, format!("the setting `{name}` is not a URL"))
                .expected("a required setting of the type `string` that is no secret"),
        );
    }
    Some(json!({ "setting": name }))
}

/// The setting with a token.
fn bearer(settings: &Settings<'_>, text: &Text, report: &mut Report) -> Option<Value> {
    let Some(name) = text.value.strip_prefix('$') else {
        report.push(
            Problem::error(text.place, "a token does not stand in the manifest")
                .expected("`$` and the name of a sensitive setting"),
        );
        return None;
    };
    let setting = settings.find(name, text.place, report)?;
    if !setting.sensitive {
        report.push(
            Problem::error(text.place, format!("the setting `{name}` is not a secret"))
                .help("add `sensitive: true` to the setting"),
        );
    }
    Some(json!(name))
}

/// Lowers a call of a tool. Without tools, what depends on them is not checked.
pub(super) fn operation(
    raw: &RawOperation,
    written: &Written<RawTool>,
    (model, id, provider): (&Model, OperationId, ProviderId),
    tools: Option<&[LockedTool]>,
    report: &mut Report,
) -> Value {
    let before = report.errors();
    let (operation, call) = (&model[id], &written.keys.0);
    let mut scope = Scope::of_tool(model, &operation.params, &model[provider].settings);
    let tool = call.tool.as_ref().and_then(|name| locked(tools, name, report));
    let given = if let Some(args) = &call.args {
        if let Some(tool) = tool {
            arguments::check(model, operation, tool, args, written.place, report);
        }
        written_arguments(&mut scope, args, report)
    } else {
        if let Some(tool) = tool {
            arguments::check_same(raw, model, operation, tool, written.place, report);
        }
        same_arguments(&mut scope, operation, written.place, report)
    };
    if operation.page.is_some() {
        report.push(
            Problem::error(written.place, "the tool of an MCP server has no pages")
                .help("remove `page`, and declare the tool's own parameters"),
        );
    }
    let result = result(&mut scope, operation, call, report);
    // An error above may be the reason.
    if report.errors() == before {
        rules::unused(raw, &scope, BindingKind::Mcp, report);
        if let Some((tool, name)) = tool.zip(call.tool.as_ref()) {
            for suspicion in tool.suspicions() {
                let message = format!("look at the tool in the lock file: {suspicion}");
                report.push(
                    Problem::warning(name.place, message)
                        .help("this manifest does not repeat that text; keep the binding only if you trust the server"),
                );
            }
            fits_annotations(raw, operation, tool, report);
        }
    }
    json!({
        "id": operation.id,
        "effect": effect_word(operation),
        "idempotent": operation.idempotent,
        "tool": call.tool.as_ref().map(|name| name.value.as_str()).unwrap_or_default(),
        "arguments": given,
        "result": result,
    })
}

/// Finds a tool in the lock file; `None` if it is not there, which is reported.
fn locked<'a>(
    tools: Option<&'a [LockedTool]>,
    name: &Text,
    report: &mut Report,
) -> Option<&'a LockedTool> {
    let tools = tools?;
    let found = tools.iter().find(|tool| tool.name == name.value);
    if found.is_none() {
        let known: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let message = format!("the lock file has no tool `{}`", name.value);
        report.unknown_word(name.place, message, &name.value, &known);
    }
    found
}

fn written_arguments(
    scope: &mut Scope<'_>,
    args: &Entries<RawTemplate>,
    report: &mut Report,
) -> Vec<Value> {
    let lower = |Entry { key, value }: &Entry<RawTemplate>| {
        let (name, is_optional) = split_optional(&key.value);
        let standing = Standing { is_optional, fits: Fits::Any };
        entry(name, is_optional, &template(scope, value, standing, report))
    };
    args.0.iter().map(lower).collect()
}

/// The parameters as arguments of the same names.
fn same_arguments(
    scope: &mut Scope<'_>,
    operation: &Operation,
    place: Place,
    report: &mut Report,
) -> Vec<Value> {
    let lower = |field: &crate::model::Field| {
        let is_optional = field.presence == Presence::Optional;
        let standing = Standing { is_optional, fits: Fits::Any };
        let table = value(scope, &field.name, place, standing, report)?;
        Some(entry(&field.name, is_optional, &json!({ "value": table })))
    };
    operation.params.iter().filter_map(lower).collect()
}

/// Lowers the result. A text is that of the content blocks, and everything else the structured content.
fn result(
    scope: &mut Scope<'_>,
    operation: &Operation,
    call: &RawLongTool,
    report: &mut Report,
) -> Value {
    let is_text = match &operation.returns {
        Returns::Value(shape) => matches!(scope.model.resolve(shape), Shape::String { .. }),
        Returns::Content => {
            if let Some(RawTemplate(node)) = &call.result {
                report.push(
                    Problem::error(node.place, "content blocks are returned as they are")
                        .help("remove `result`, or declare a type in `returns`"),
                );
            }
            return json!("content");
        }
        _ => true,
    };
    if is_text && call.result.is_none() {
        return json!({ "value": { "read": "text", "shape": "text" } });
    }
    match NamedShapes(Vec::new()).result(scope, operation, call.result.as_ref(), report) {
        Some(table) => json!({ "value": table }),
        None => Value::Null,
    }
}

/// Warns of a tool that says itself that it does more than the operation.
fn fits_annotations(
    raw: &RawOperation,
    operation: &Operation,
    tool: &LockedTool,
    report: &mut Report,
) {
    let Some(effect) = &raw.effect else { return };
    let says = |hint: &str, value: bool| tool.is_annotated(hint, value);
    let more = match operation.effect {
        Effect::Read if says("readOnlyHint", false) => "changes something",
        Effect::Read if says("destructiveHint", true) && !says("readOnlyHint", true) => {
            "may destroy something"
        }
        _ => return,
    };
    let message =
        format!("the tool says that it {more}, and the effect is `{}`", effect.value.as_str());
    report.push(
        Problem::warning(effect.place, message)
            .help("correct the effect, or callers without the right to write can use it"),
    );
}
