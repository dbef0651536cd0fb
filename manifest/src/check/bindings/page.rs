//! How lists are read in pages.

use serde_json::{Value, json};

use super::reads::read;
use super::scope::Scope;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::PageSizes;
use crate::raw::RawHttpPage;

/// Lowers `page`; `None` if it is invalid, which is reported.
pub(super) fn page(
    scope: &mut Scope<'_>,
    raw: &RawHttpPage,
    sizes: Option<PageSizes>,
    place: Place,
    report: &mut Report,
) -> Option<Value> {
    let Some(sizes) = sizes else {
        report.push(
            Problem::error(place, "the binding has pages, and the operation has none")
                .help("add `page: { default: .., max: .. }` to the operation"),
        );
        return None;
    };
    let paging = paging(scope, raw, place, report)?;
    let mut table = json!({ "size": raw.size.as_ref().map(|size| &size.value), "max": sizes.max, "paging": paging });
    if let Some(total) = raw.total.as_ref().and_then(|total| read(scope, total, report)) {
        table["total"] = total.table;
    }
    Some(table)
}

fn paging(
    scope: &mut Scope<'_>,
    raw: &RawHttpPage,
    place: Place,
    report: &mut Report,
) -> Option<Value> {
    let is_link = raw.link.as_ref().is_some_and(|link| link.value);
    let ways = [raw.number.is_some(), raw.offset.is_some(), raw.cursor.is_some(), is_link];
    if ways.iter().filter(|given| **given).count() != 1 {
        report.push(
            Problem::error(place, "it is not clear how the next page is asked for")
                .expected("exactly one of `number`, `offset`, `cursor` and `link: true`"),
        );
        return None;
    }
    if let Some(number) = &raw.number {
        let first = raw.first.as_ref().map_or(1, |first| first.value);
        let Ok(first) = u32::try_from(first) else {
            report.push(Problem::error(place, "the number of the first page is too large"));
            return None;
        };
        let mut table = json!({ "parameter": number.value, "first": first });
        if let Some(pages) = raw.pages.as_ref().and_then(|pages| read(scope, pages, report)) {
            table["pages"] = pages.table;
        }
        return Some(json!({ "number": table }));
    }
    if let Some(offset) = &raw.offset {
        return Some(json!({ "offset": { "parameter": offset.value } }));
    }
    let Some(cursor) = &raw.cursor else { return Some(json!("link")) };
    let Some(next) = &raw.next else {
        report.push(
            Problem::error(cursor.place, "`cursor` needs `next`")
                .help("add where an answer has the next cursor: `next: $.nextPageToken`"),
        );
        return None;
    };
    let next = read(scope, next, report)?;
    Some(json!({ "cursor": { "parameter": cursor.value, "next": next.table } }))
}
