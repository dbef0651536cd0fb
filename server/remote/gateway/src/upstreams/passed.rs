//! What an upstream says of a tool for clients and not for models: its title, its icons, and `_meta`.

use serde_json::{Map, Value};
use toolwrit_core::json::size::size;
use toolwrit_text::shorten::visible_line;
use toolwrit_text::visible::escaped_value;
use toolwrit_upstreams::Tool;

use crate::upstreams::interface::Interfaces;
use crate::upstreams::settings::UpstreamSettings;
use crate::upstreams::words::title;

/// Characters of the longest title.
const TITLE: usize = 200;
/// Bytes of the icons of a tool, and of its `_meta`.
const MOST: usize = 8 * 1024;
/// How the keys begin that the protocol itself uses.
const OF_PROTOCOL: &str = "io.modelcontextprotocol/";

/// The fields of a tool's entry that pass as they were approved.
pub(crate) fn tool_fields(settings: &UpstreamSettings, tool: &Tool) -> Map<String, Value> {
    let title = title(tool).map(|title| visible_line(title, TITLE).into());
    let icons = tool.json().get("icons").and_then(icons);
    let meta = tool.json().get("_meta").and_then(|meta| meta_of(meta, settings));
    let fields = [("title", title), ("icons", icons), ("_meta", meta)];
    let fields = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    fields.collect()
}

/// The icons that any client may show: what they show comes with them, or over TLS.
fn icons(listed: &Value) -> Option<Value> {
    let is_safe = |icon: &&Value| {
        let src = icon.get("src").and_then(Value::as_str).unwrap_or_default();
        src.starts_with("https://") || src.starts_with("data:image/")
    };
    let icons: Vec<Value> = listed.as_array()?.iter().filter(is_safe).cloned().collect();
    passing(Value::Array(icons))
        .filter(|icons| icons.as_array().is_some_and(|icons| !icons.is_empty()))
}

/// `_meta` without what is for the protocol, and without the user interface of a tool if its resources do not pass.
fn meta_of(listed: &Value, settings: &UpstreamSettings) -> Option<Value> {
    let has_resources = settings.passes.resources;
    let is_interface = |key: &str| key == "ui" || key.starts_with("ui/");
    let mut meta = listed.as_object()?.clone();
    meta.retain(|key, _| !key.starts_with(OF_PROTOCOL) && (has_resources || !is_interface(key)));
    Interfaces::new(&settings.name).show_in_meta(&mut meta);
    passing(Value::Object(meta))
        .filter(|meta| meta.as_object().is_some_and(|meta| !meta.is_empty()))
}

fn passing(value: Value) -> Option<Value> {
    (size(&value) <= MOST).then(|| escaped_value(value))
}
