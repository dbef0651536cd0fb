//! Lists in pages, recognized by the usual names of parameters and fields.

use serde_json::Value;

use crate::conversion::request::{Parameter, ParameterLocation, Request};
use crate::document::node::Node;
use crate::language::names::split_words;
use crate::language::shape::{Declarations, Field, Shape};
use crate::language::written::answer_path;
use crate::language::yaml::Mapping;

const SIZES: [&str; 12] = [
    "limit",
    "perpage",
    "pagesize",
    "maxresults",
    "size",
    "count",
    "top",
    "take",
    "pagelimit",
    "maxitems",
    "resultsperpage",
    "rows",
];
const OFFSETS: [&str; 4] = ["offset", "skip", "startat", "startindex"];
const NUMBERS: [&str; 6] = ["page", "pagenumber", "pageno", "pageindex", "currentpage", "pagenum"];
const CURSORS: [&str; 9] = [
    "cursor",
    "pagetoken",
    "nextpagetoken",
    "after",
    "nexttoken",
    "continuationtoken",
    "nextcursor",
    "marker",
    "pagecursor",
];
const NEXT: [&str; 8] = [
    "nextpagetoken",
    "nextcursor",
    "nexttoken",
    "cursor",
    "continuationtoken",
    "after",
    "nextmarker",
    "endcursor",
];
const TOTALS: [&str; 4] = ["total", "totalcount", "totalresults", "totalitems"];
const PAGES: [&str; 3] = ["totalpages", "pagecount", "lastpage"];
const LISTS: [&str; 6] = ["data", "items", "results", "values", "entries", "records"];

/// A list that is read in pages.
pub(crate) struct Page {
    pub(crate) default: u64,
    pub(crate) max: u64,
    /// `page` of the binding.
    pub(crate) binding: Mapping,
    /// `result` of the binding, if the list is a field of the answer.
    pub(crate) list: Option<String>,
    /// The type of the list.
    pub(crate) returns: Shape,
}

/// Recognizes a list in pages, and removes the parameters that then are the engine's.
pub(crate) fn recognize_page(
    request: &mut Request,
    answer: &Shape,
    response: Option<&Node<'_>>,
    types: &Declarations,
) -> Option<Page> {
    if request.method != "get" {
        return None;
    }
    let (list, returns) = find_list(answer, types)?;
    let size = find_parameter(&request.parameters, &SIZES)?;
    let sizes = page_sizes(&request.parameters[size].field);
    let mut binding = Mapping::default();
    binding.add("size", request.parameters[size].field.original.as_str());
    let fields = types.fields(answer).unwrap_or_default();
    let total = find_scalar_path(types, fields, &TOTALS, 2);
    let pages = find_scalar_path(types, fields, &PAGES, 2);
    let has_link = response.and_then(|response| response.raw("headers")).is_some_and(|headers| {
        headers.entries().any(|(name, _)| name.eq_ignore_ascii_case("link"))
    });
    let cursor = find_parameter(&request.parameters, &CURSORS);
    let cursor = cursor.zip(find_scalar_path(types, fields, &NEXT, 3));
    let moving = if let Some((cursor, next)) = cursor {
        binding.add("cursor", request.parameters[cursor].field.original.as_str());
        binding.add("next", next);
        cursor
    } else if let Some(number) = find_parameter(&request.parameters, &NUMBERS) {
        if has_link && total.is_none() && pages.is_none() {
            binding.add("link", true);
        } else {
            let field = &request.parameters[number].field;
            binding.add("number", field.original.as_str());
            if begins_at_zero(field) {
                binding.add("first", 0);
            }
            if let Some(pages) = pages {
                binding.add("pages", pages);
            }
        }
        number
    } else {
        let offset = find_parameter(&request.parameters, &OFFSETS)?;
        binding.add("offset", request.parameters[offset].field.original.as_str());
        offset
    };
    if let Some(total) = total {
        binding.add("total", total);
    }
    let mut at = 0;
    request.parameters.retain(|_| {
        at += 1;
        at - 1 != size && at - 1 != moving
    });
    for name in ["limit", "cursor"] {
        for parameter in
            request.parameters.iter_mut().filter(|parameter| parameter.field.name == name)
        {
            parameter.field.name = request.names.claim(&format!("{name}_value"), "_");
        }
    }
    Some(Page { default: sizes.0, max: sizes.1, binding, list, returns })
}

/// Where the list is, and its type: the whole answer, or its only list.
fn find_list(answer: &Shape, types: &Declarations) -> Option<(Option<String>, Shape)> {
    if let Shape::Array { .. } = answer {
        return Some((None, answer.clone()));
    }
    let fields = types.fields(answer)?;
    let lists: Vec<&Field> =
        fields.iter().filter(|field| matches!(field.shape, Shape::Array { .. })).collect();
    let is_usual = |field: &&&Field| LISTS.contains(&normalize(&field.original).as_str());
    let field = match lists[..] {
        [only] => only,
        _ => *lists.iter().find(is_usual)?,
    };
    Some((Some(format!("{}[*]", answer_path(&[&field.original]))), field.shape.clone()))
}

fn normalize(name: &str) -> String {
    split_words(name).concat()
}

/// The position of a parameter of the query, by the names in their order.
fn find_parameter(parameters: &[Parameter], names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| {
        parameters.iter().position(|parameter| {
            matches!(parameter.location, ParameterLocation::Query { .. })
                && normalize(&parameter.field.original) == *name
        })
    })
}

/// Where a scalar with one of these names is in an answer, within some levels.
fn find_scalar_path(
    types: &Declarations,
    fields: &[Field],
    names: &[&str],
    levels: usize,
) -> Option<String> {
    search_scalar(types, fields, names, levels).map(|path| answer_path(&path))
}

fn search_scalar<'a>(
    types: &'a Declarations,
    fields: &'a [Field],
    names: &[&str],
    levels: usize,
) -> Option<Vec<&'a str>> {
    let here = names.iter().find_map(|name| {
        fields
            .iter()
            .find(|field| normalize(&field.original) == *name && types.is_scalar(&field.shape))
    });
    if let Some(field) = here {
        return Some(vec![&field.original]);
    }
    if levels <= 1 {
        return None;
    }
    fields.iter().find_map(|field| {
        let inner = types.fields(&field.shape)?;
        let mut path = search_scalar(types, inner, names, levels - 1)?;
        path.insert(0, &field.original);
        Some(path)
    })
}

/// The usual and the largest size of a page.
fn page_sizes(field: &Field) -> (u64, u64) {
    const USUAL: u64 = 25;
    const LARGE: u64 = 100;
    const LARGEST: u64 = 1_000;
    let max = match field.shape {
        Shape::Integer { max: Some(max), .. } => u64::try_from(max).ok().filter(|max| *max > 0),
        _ => None,
    };
    let default = field.default.as_ref().and_then(Value::as_u64).filter(|default| *default > 0);
    let max = max.unwrap_or_else(|| LARGE.max(default.unwrap_or_default())).min(LARGEST);
    (default.unwrap_or(USUAL).min(max), max)
}

fn begins_at_zero(field: &Field) -> bool {
    field.default.as_ref().and_then(Value::as_u64) == Some(0)
        || matches!(field.shape, Shape::Integer { min: Some(0), .. })
}
