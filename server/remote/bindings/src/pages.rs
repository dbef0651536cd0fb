//! Pages of lists: which page a request asks for, and where the next one begins.

use reqwest::Url;
use serde_json::Value;

use crate::call::PageRequest;
use crate::client::Received;
use crate::failure::{Failure, Result};
use crate::link;
use crate::model::{Page, Paging, Read};
use crate::render::{Rendered, scalar_text};
use crate::response::AnswerReader;
use crate::sealed_cursor::CursorKey;

/// Length limit of a cursor of an API, in bytes.
const MAX_CURSOR: usize = 8 * 1024;

/// A page that is asked for.
pub(crate) struct PageCursor<'a> {
    page: &'a Page,
    /// The key that seals.
    key: &'a CursorKey,
    /// The parameters of requests that have keys of the API.
    keys: Vec<&'a str>,
    /// What must be the same for all pages: the provider, the operation and the account.
    scope: [&'a str; 4],
    size: u32,
    position: Option<Position>,
}

/// Where a page begins, if it is not the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Position {
    /// The number of a page, for pages of a size.
    Number { number: u64, size: u32 },
    /// The items before it.
    Offset(u64),
    /// The text of the API.
    Cursor(String),
    /// A path and query.
    Link(String),
}

impl Position {
    fn to_text(&self) -> String {
        match self {
            Self::Number { number, size } => format!("n{number}:{size}"),
            Self::Offset(offset) => format!("o{offset}"),
            Self::Cursor(cursor) => format!("c{cursor}"),
            Self::Link(target) => format!("l{target}"),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_at_checked(1)?;
        Some(match kind {
            "n" => {
                let (number, size) = rest.split_once(':')?;
                Self::Number { number: number.parse().ok()?, size: size.parse().ok()? }
            }
            "o" => Self::Offset(rest.parse().ok()?),
            "c" => Self::Cursor(rest.to_owned()),
            "l" => Self::Link(rest.to_owned()),
            _ => return None,
        })
    }
}

impl<'a> PageCursor<'a> {
    /// # Errors
    /// `VALIDATION_ERROR` for a cursor that no page of this operation and account returned.
    pub(crate) fn new(
        page: &'a Page,
        request: PageRequest<'a>,
        own: &'a CursorKey,
        keys: Vec<&'a str>,
        scope: [&'a str; 4],
    ) -> Result<Self> {
        let opening =
            if request.keys.is_empty() { std::slice::from_ref(own) } else { request.keys };
        let key = opening.first().unwrap_or(own);
        let position = match request.cursor {
            None => None,
            Some(cursor) => {
                let opened = opening.iter().find_map(|key| key.open(cursor, &scope));
                let position = opened.and_then(|text| Position::parse(&text));
                Some(position.ok_or_else(|| {
                    Failure::validation("The cursor does not belong to this call.")
                        .at_pointer("/cursor")
                        .expecting("the cursor of the previous page, for the same account")
                        .hinting("Leave the cursor out to get the first page.")
                })?)
            }
        };
        let size = match position {
            // The numbers of pages count pages of this size.
            Some(Position::Number { size, .. }) => size,
            _ => request.limit.clamp(1, page.max.max(1)),
        };
        Ok(Self { page, key, keys, scope, size, position })
    }

    /// Makes a request ask for the page.
    pub(crate) fn apply(&self, rendered: &mut Rendered) {
        if let Some(Position::Link(target)) = &self.position {
            let (path, query) = target.split_once('?').unwrap_or((target, ""));
            rendered.url.set_path(path);
            rendered.url.set_query(Some(query).filter(|query| !query.is_empty()));
            return;
        }
        if let Some(parameter) = &self.page.size {
            rendered.add_parameter(parameter, self.size.into());
        }
        let (Paging::Number { parameter, .. }
        | Paging::Offset { parameter }
        | Paging::Cursor { parameter, .. }) = &self.page.paging
        else {
            return;
        };
        match &self.position {
            Some(Position::Number { number, .. }) => {
                rendered.add_parameter(parameter, (*number).into());
            }
            Some(Position::Offset(offset)) => {
                rendered.add_parameter(parameter, (*offset).into());
            }
            Some(Position::Cursor(cursor)) => {
                rendered.add_parameter(parameter, cursor.as_str().into());
            }
            Some(Position::Link(_)) | None => {}
        }
    }

    /// Returns how many items there are on all pages, if the API says so.
    pub(crate) fn total(&self, reader: &AnswerReader<'_>, body: &Value) -> Option<u64> {
        count_at(self.page.total.as_ref()?, reader, body)
    }

    /// Returns the cursor of the next page; `None` after the last page. `result` is this page, and `base` the URL
    /// that links must continue.
    ///
    /// # Errors
    /// `UPSTREAM_ERROR` if the API sends the caller in a circle or to another host.
    pub(crate) fn next(
        &self,
        reader: &AnswerReader<'_>,
        (received, body): (&Received, &Value),
        result: &Value,
        (base, url): (&Url, &Url),
    ) -> Result<Option<String>> {
        let items = items(result);
        let next = match &self.page.paging {
            // After a page without items there is none. Cursors and links may lead on, as filters come after them.
            Paging::Number { .. } | Paging::Offset { .. } if items == Some(0) => None,
            Paging::Number { first, pages, .. } => {
                let number = match self.position {
                    Some(Position::Number { number, .. }) => number,
                    _ => u64::from(*first),
                };
                let read = |read: &Read| count_at(read, reader, body);
                let is_last = match pages.as_ref().and_then(read) {
                    Some(pages) => {
                        number.saturating_add(1).saturating_sub(u64::from(*first)) >= pages
                    }
                    None => self.is_short(items),
                };
                let number = number.saturating_add(1);
                (!is_last).then_some(Position::Number { number, size: self.size })
            }
            Paging::Offset { .. } => {
                let before = match self.position {
                    Some(Position::Offset(offset)) => offset,
                    _ => 0,
                };
                let end = before.saturating_add(items.unwrap_or(0));
                let is_last = match self.total(reader, body) {
                    Some(total) => end >= total,
                    None => self.is_short(items),
                };
                (!is_last).then_some(Position::Offset(end))
            }
            Paging::Cursor { next, .. } => {
                let cursor = reader.value(next, body).and_then(|next| scalar_text(&next));
                cursor.filter(|cursor| !cursor.is_empty()).map(Position::Cursor)
            }
            Paging::Link => link::next(&received.headers)
                .map(|target| link::below(&target, base, url, &self.keys))
                .transpose()?
                .map(Position::Link),
        };
        if next.is_some() && next == self.position {
            return Err(repeated(reader.provider));
        }
        let Some(text) = next.map(|next| next.to_text()) else { return Ok(None) };
        if text.len() > MAX_CURSOR {
            let provider = reader.provider;
            let message = format!("The cursor of {provider} is longer than {MAX_CURSOR} bytes.");
            return Err(Failure::upstream(message).sent().permanent());
        }
        Ok(Some(self.key.seal(&text, &self.scope)))
    }

    /// Whether a page has fewer items than asked for.
    fn is_short(&self, items: Option<u64>) -> bool {
        items.is_none_or(|items| items < u64::from(self.size))
    }
}

fn repeated(provider: &str) -> Box<Failure> {
    Failure::upstream(format!("{provider} says that this page follows itself.")).sent().permanent()
}

/// The number of items of a page: of the result, or of the first list in it.
fn items(result: &Value) -> Option<u64> {
    let list = match result {
        Value::Array(items) => items,
        Value::Object(object) => object.values().find_map(Value::as_array)?,
        _ => return None,
    };
    Some(list.len() as u64)
}

fn count_at(read: &Read, reader: &AnswerReader<'_>, body: &Value) -> Option<u64> {
    scalar_text(&*reader.value(read, body)?)?.trim().parse().ok()
}
