//! What the text of a note contains, before links are resolved.

use std::sync::{Arc, LazyLock};

use indexmap::IndexSet;
use jiff::Zoned;
use regex::Regex;
use serde_json::Value as Json;
use toolwrit_vault::document::{Document, Link as WrittenLink, LinkKind};
use toolwrit_vault::{NoteSource, frontmatter};

use super::gathered::{Gathered, gather, gather_fields, to_map};
use super::inline;
use super::items::{self, Item};
use super::lines::{Lines, LinkInLine};
use crate::datetime::find_day;
use crate::syntax::{plain_property_value, property_value};
use crate::value::{Link, Map, Name, TextKind, Value, title};

/// A note as it is written.
#[derive(Debug)]
pub(super) struct Draft {
    /// The tags with `#`, in the order of the note.
    pub(super) tags: Vec<Name>,
    pub(super) aliases: Vec<Name>,
    pub(super) links: Vec<Arc<Link>>,
    pub(super) items: Vec<Item>,
    pub(super) fields: Map,
    pub(super) frontmatter: Map,
    /// The frontmatter with the dates and links that Obsidian finds in it.
    pub(super) properties: Map,
    pub(super) day: Option<Zoned>,
    pub(super) created: Zoned,
    pub(super) modified: Zoned,
    pub(super) size: u64,
}

/// Text in the frontmatter that separates tags.
static TAG_SEPARATOR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[,\s]+").ok());

impl Draft {
    /// Reads a note. `now` gives the zone of its dates.
    pub(super) fn read(path: &str, source: &NoteSource, now: &Zoned) -> Self {
        let text = source.text.as_str();
        let properties = frontmatter::read(text).unwrap_or_default();
        let zone = now.time_zone();
        let mut gathered = Gathered::new();
        for (key, value) in properties.iter().filter(|(key, _)| *key != "position") {
            gather(&mut gathered, key, property(value, &property_value, now));
        }
        // A note with too much structure has only properties and the fields of its lines.
        let document = Document::parse(text).ok();
        let text_lines = Lines::new(text);
        let links =
            document.as_ref().map_or_else(Vec::new, |document| links(document, &text_lines));
        let items = document.as_ref().map_or_else(Vec::new, |document| {
            items::read(path, document, &text_lines, &links, now)
        });
        for item in items.iter().filter(|item| item.task.is_none()) {
            for (key, values) in &item.fields {
                gathered.entry(Arc::clone(key)).or_default().extend(values.iter().cloned());
            }
        }
        let mut in_items = items.iter().flat_map(|item| item.line..item.line + item.line_count);
        let mut next = in_items.next();
        for (number, line) in text_lines.iter().enumerate() {
            while next.is_some_and(|line| line < number) {
                next = in_items.next();
            }
            if next != Some(number) {
                gather_fields(&mut gathered, inline::find_line_fields(line), now);
            }
        }
        let day = find_date_field(&gathered).or_else(|| find_day(title(path), zone));
        let in_zone = |time: Option<jiff::Timestamp>| {
            time.unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_zoned(zone.clone())
        };
        Self {
            tags: tags(document.as_ref(), &properties),
            aliases: aliases(&properties),
            links: links.into_iter().map(|(_, link)| link).collect(),
            items,
            fields: to_map(gathered),
            frontmatter: properties
                .iter()
                .map(|(key, value)| (key.as_str().into(), json(value)))
                .collect(),
            properties: properties
                .iter()
                .map(|(key, value)| (key.as_str().into(), obsidian_property(key, value, now)))
                .collect(),
            day,
            created: in_zone(source.created),
            modified: in_zone(source.modified),
            size: source.size,
        }
    }
}

/// The date of a note by its field `date` or `day`.
fn find_date_field(gathered: &Gathered) -> Option<Zoned> {
    let is_day = |key: &str| key.eq_ignore_ascii_case("date") || key.eq_ignore_ascii_case("day");
    let mut days = gathered.iter().filter(|(key, _)| is_day(key));
    days.find_map(|(_, values)| match values.first() {
        Some(Value::Date(date)) => Some(Zoned::clone(date)),
        _ => None,
    })
}

/// The value of a property. `read` finds dates, links and so on in its texts.
fn property(value: &Json, read: &dyn Fn(&str, &Zoned) -> Value, now: &Zoned) -> Value {
    let inner = |value: &Json| property(value, read, now);
    match value {
        Json::String(text) => read(text, now),
        Json::Array(values) => Value::list(values.iter().map(inner)),
        Json::Object(map) => {
            Value::map(map.iter().map(|(key, value)| (key.as_str().into(), inner(value))).collect())
        }
        other => json(other),
    }
}

/// A property as Obsidian itself reads it.
fn obsidian_property(key: &str, value: &Json, now: &Zoned) -> Value {
    let tag = |text: &str| Value::Typed(TextKind::Tag, text.into());
    match value {
        _ if !key.eq_ignore_ascii_case("tags") => property(value, &plain_property_value, now),
        Json::String(text) => Value::list(split_tags(text).into_iter().map(tag)),
        other => property(other, &|text, _| tag(text), now),
    }
}

/// The value of a property as it is written.
fn json(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(number) => number.as_f64().map_or(Value::Null, Value::Number),
        Json::String(text) => Value::text(text),
        Json::Array(values) => Value::list(values.iter().map(json)),
        Json::Object(map) => {
            Value::map(map.iter().map(|(key, value)| (key.as_str().into(), json(value))).collect())
        }
    }
}

/// The tags in the text and then those in the properties, each once.
fn tags(document: Option<&Document<'_>>, properties: &frontmatter::Properties) -> Vec<Name> {
    let written = document.into_iter().flat_map(|document| &document.tags);
    let mut tags: IndexSet<Name> = written.map(|tag| format!("#{}", tag.name).into()).collect();
    for text in texts_under(properties, ["tags", "tag"]) {
        for tag in split_tags(&text) {
            tags.insert(if tag.starts_with('#') { tag.into() } else { format!("#{tag}").into() });
        }
    }
    tags.into_iter().collect()
}

/// The tags in a text, with commas or white space between.
fn split_tags(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = match &*TAG_SEPARATOR {
        Some(separator) => separator.split(text).collect(),
        None => vec![text],
    };
    parts.into_iter().filter(|tag| !tag.is_empty()).collect()
}

/// Other names of a note: a list, or text with commas between.
fn aliases(properties: &frontmatter::Properties) -> Vec<Name> {
    let mut aliases = IndexSet::new();
    for (key, value) in properties {
        if !["alias", "aliases"].iter().any(|name| key.eq_ignore_ascii_case(name)) {
            continue;
        }
        match value {
            Json::Array(values) => {
                aliases
                    .extend(values.iter().filter_map(scalar).map(|alias| Name::from(alias.trim())));
            }
            other => {
                let text = scalar(other).unwrap_or_default();
                let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
                aliases.extend(parts.map(Name::from));
            }
        }
    }
    aliases.into_iter().collect()
}

/// The texts and numbers of some properties, which may be lists.
fn texts_under(properties: &frontmatter::Properties, keys: [&str; 2]) -> Vec<String> {
    fn collect(value: &Json, texts: &mut Vec<String>) {
        match value {
            Json::Array(values) => values.iter().for_each(|value| collect(value, texts)),
            other => texts.extend(scalar(other)),
        }
    }
    let mut texts = Vec::new();
    for (key, value) in properties {
        if keys.iter().any(|name| key.eq_ignore_ascii_case(name)) {
            collect(value, &mut texts);
        }
    }
    texts
}

fn scalar(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// The links of a note: those in the frontmatter, then links, then embeds.
fn links(document: &Document<'_>, text_lines: &Lines<'_>) -> Vec<LinkInLine> {
    let rank = |kind: LinkKind| match kind {
        LinkKind::Property => Some(0),
        LinkKind::Wikilink | LinkKind::Markdown => Some(1),
        LinkKind::Embed | LinkKind::Image => Some(2),
        LinkKind::Definition => None,
    };
    let internal = document.links.iter().filter(|link| !link.is_external());
    let mut links: Vec<_> = internal.filter_map(|link| Some((rank(link.kind)?, link))).collect();
    links.sort_by_key(|(rank, _)| *rank);
    let of = |(rank, link): (u8, &WrittenLink<'_>)| {
        let line = (rank > 0).then(|| text_lines.number(link.span.start));
        (line, Arc::new(resolve_link(link).with_embed(rank == 2)))
    };
    links.into_iter().map(of).collect()
}

/// A link with the text that it shows.
fn resolve_link(link: &WrittenLink<'_>) -> Link {
    let target = match &link.subpath {
        Some(subpath) => format!("{}#{subpath}", link.target),
        None => link.target.to_string(),
    };
    let shown = match link.display {
        Some(display) => display.to_owned(),
        None => target.trim_start_matches('#').replace('#', " > "),
    };
    Link::from_target(&target, Some(&shown))
}
