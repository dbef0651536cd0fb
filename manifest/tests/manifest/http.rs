//! Operations that are bound to HTTP APIs: what becomes a table, and what is refused.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use serde_json::Value;
use toolwrit_manifest::{Authority, Problems, View, emit, load, load_sources};
use toolwrit_words::headers::set_by_engine;

use crate::faults;

const GOOD: &str = include_str!("fixtures/bound.yaml");

/// A text of the valid manifest, and its replacement.
const FAULTS: &[(&str, &str)] = &[
    // settings
    ("region?: string", "region?: strin"),
    ("region?: string", "region?: string\n      Zone?: string"),
    ("region?: string", "region?: string\n      accounts: string"),
    ("region?: string", "region?: string\n      elicitation: boolean"),
    ("depth: integer", "depth: { type: integer, example: deep }"),
    ("depth: integer", "depth: { type: integer, per: user }"),
    ("depth: integer", "depth: { typ: integer }"),
    (
        "{ type: string, sensitive: true, per: account }",
        "{ type: integer, sensitive: true, per: account }",
    ),
    (
        "{ type: string, sensitive: true, per: account }",
        "{ type: string, sensitive: true, per: account, example: x }",
    ),
    // the API
    ("base: $url", "base: $uri"),
    ("base: $url", "base: $depth"),
    ("base: $url", "base: shop.example"),
    ("base: \"https://bank.example/v1\"", "base: \"https://bank.example/v1?key=1\""),
    ("      base: $url\n", ""),
    ("password: $key", "password: hunter2"),
    ("password: $key", "password: $kex"),
    ("auth: { bearer: $token }", "auth: { bearer: $token, api_key: { header: X, value: $token } }"),
    ("auth: { bearer: $token }", "auth: { api_key: { header: X, query: x, value: $token } }"),
    ("auth: { bearer: $token }", "auth: { api_key: { header: X Key, value: $token } }"),
    ("auth: { bearer: $token }", "auth: {}"),
    ("auth: { basic: { user: $user,", "auth: { basic: { user: $region,"),
    (
        "auth: { bearer: $token }",
        "auth: { exchange: { post: /login, json: { key: $tokn }, token: $.token } }",
    ),
    ("auth: { bearer: $token }", "auth: { exchange: { post: /login, token: $.token } }"),
    (
        "auth: { bearer: $token }",
        "auth: { exchange: { post: login, form: { key: $token }, token: $.token } }",
    ),
    (
        "auth: { bearer: $token }",
        "auth: { exchange: { post: /login, form: { key: $token }, token: token } }",
    ),
    ("rate: 10/s", "rate: 10"),
    ("rate: 10/s", "rate: 0/s"),
    ("concurrency: 4", "concurrency: 0"),
    ("probe: { get: /me,", "probe: { get: me,"),
    ("require: { $.login: $user }", "require: { login: $user }"),
    ("require: { $.login: $user }", "require: { $.login: $key }"),
    ("query: { \"region?\": $region }", "query: { region: $region }"),
    ("Item: { name: $.title.raw,", "Item: { nam: $.title.raw,"),
    ("Item: { name: $.title.raw,", "Itm: { name: $.title.raw,"),
    ("      shapes:\n", "      shapes:\n        Kind: { a: $.b }\n"),
    ("name: $.title.raw", "name: $.title."),
    ("name: $.title.raw", "name: \"$.titles[*].raw\""),
    ("name: $.title.raw", "name: \"$.titles[*]\""),
    ("name: $.title.raw", "name: title"),
    ("$.code: sold_out", "code: sold_out"),
    ("$.code: sold_out", "$.code: [sold_out]"),
    ("code: SOLD_OUT", "code: SOLD_AUT"),
    ("code: SOLD_OUT", "code: TOOL_NOT_FOUND"),
    ("status: 418", "status: teapot"),
    // the request
    ("provider: bank, post", "provider: bang, post"),
    ("provider: bank, post", "post"),
    ("post: /payments", "post: /payments, get: /payments"),
    ("post: /payments, ", ""),
    ("post: /payments", "post: payments"),
    ("post: /payments", "post: /a/../payments"),
    ("post: /payments", "post: \"/payments?sku={sku}\""),
    ("post: /payments", "post: \"/payments/{skv}\""),
    ("post: /payments", "post: \"/payments/{sku\""),
    ("post: /payments", "post: \"/payments/{token}\""),
    ("post: /payments", "post: \"/payments/$sku\""),
    (
        "form: { sku: $sku, amount: $amount }",
        "form: { sku: $sku, amount: $amount, note: \"to {sku}\" }",
    ),
    (
        "form: { sku: $sku, amount: $amount }",
        "form: { sku: $sku, amount: $amount, note: \"to $sku\" }",
    ),
    ("form: { sku: $sku, amount: $amount }", "form: { sku: $sku, amount: $amount, \"sku?\": x }"),
    ("form: { sku: $sku, amount: $amount }", "json: { sku: $sku, amount: $amount, \"sku?\": x }"),
    ("headers: { \"X-Region?\": $region }", "headers: { X-Region: \"a\\r\\nb\" }"),
    ("patch: \"/boxes/{box.id}/items/{sku}\"", "patch: \"/boxes/{box.id}/items/{sku}/{name}\""),
    ("patch: \"/boxes/{box.id}/items/{sku}\"", "patch: \"/boxes/{bax.id}/items/{sku}\""),
    ("get: /items\n", "get: /items\n      json: { a: 1 }\n"),
    ("form: { sku: $sku, amount: $amount }", "form: { sku: $sku, amount: $amount }, text: hello"),
    ("form: { sku: $sku, amount: $amount }", "form: { sku: $sku, amount: { a: $amount } }"),
    ("\"q?\": $search", "q: $search"),
    ("\"q?\": $search", "\"q?\": $serch"),
    ("style: repeat", "style: repeated"),
    ("sort: $sort", "sort: $sort.name"),
    ("headers: { \"X-Region?\": $region }", "headers: { \"X Region?\": $region }"),
    ("headers: { \"X-Region?\": $region }", "headers: { \"Authorization?\": $region }"),
    ("headers: { \"X-Region?\": $region }", "headers: { \"Accept-Encoding?\": $region }"),
    ("headers: { \"X-Region?\": $region }", "headers: { X-Region: Zürich }"),
    ("headers: { \"X-Region?\": $region }", "headers: { X-Region: ~ }"),
    ("headers: { \"X-Region?\": $region }", "headers: { \"X-Region?\": [$region] }"),
    ("\"mail?\": $owner.mail", "\"mail?\": $owner.male"),
    (
        "file: { content: $picture, file_name: $file_name,",
        "file: { content: $picture, name: $file_name,",
    ),
    ("media_type: $media_type", "media_type: \"text/csv; charset=utf-8\""),
    ("media_type: $media_type", "media_type: 5"),
    (
        "form: { sku: $sku, amount: $amount }",
        "query: { amount: $amount }, bytes: { content: $sku, media_type: csv }",
    ),
    ("file: { content: $picture,", "file: { content: picture,"),
    ("file: { content: $picture,", "file: { \"content?\": $picture,"),
    ("body: { type: application/merge-patch+json,", "body: { type: merge-patch,"),
    ("body: { type: application/merge-patch+json,", "body: { type: text/plain, text: x,"),
    ("body: { type: application/merge-patch+json,", "json: 1, body: { type: text/plain,"),
    (", json: { \"note?\": $note } }", " }"),
    ("headers: { \"X-Region?\": $region }", "headers: { \"Content-Type?\": $region }"),
    (
        "auth: { bearer: $token }",
        "auth: [{ bearer: $token }, { api_key: { header: Authorization, value: $token } }]",
    ),
    ("auth: { bearer: $token }", "auth: [{ bearer: $token }, { bearer: $tokn }]"),
    ("skus: \"Sku[]\"", "skus: { type: \"Sku[]\", separate: true }"),
    ("Kind: book | record", "Kind: { enum: [book, record], nullable: true }"),
    ("    returns: Item\n", "    returns: Kind\n"),
    // steps
    ("now?: {", "sku?: {"),
    ("now?: {", "now: {"),
    ("else: CONFLICT", "else: CLASH"),
    ("from: \"$.boxes[*]\"", "from: boxes"),
    ("at: /sku, offer", "at: sku, offer"),
    ("at: /sku, offer", "at: /skv, offer"),
    ("        box: {", "        a: { get: /a }\n        b: { get: /b }\n        box: {"),
    // pages
    ("number: page, first: 0", "first: 0"),
    ("number: page, first: 0", "number: page, offset: skip, first: 0"),
    ("number: page, first: 0, pages: header X-Pages", "cursor: after"),
    ("    page: { default: 10, max: 100 }\n", ""),
    // results
    ("total: $.total, items: {", "totel: $.total, items: {"),
    ("items: { each: \"$.items[*]\" }", "items: { all: \"$.items[*]\" }"),
    ("items: { each: \"$.items[*]\" }", "items: header X-Items"),
    ("receipt: header X-Receipt", "receipt: { each: \"$.receipts[*]\" }"),
    ("receipt: header X-Receipt", "receipt: 5"),
    ("receipt: header X-Receipt", "receipt: $receipt"),
    // the operation
    (
        "    summary: Pay an item.\n",
        "    summary: Pay an item.\n    retry: 2\n    idempotent: true\n",
    ),
    ("    summary: Pay an item.\n", "    summary: Pay an item.\n    requires: shop\n"),
    (
        "operations:\n",
        "operations:\n  items.stats: { builtin: metrics, http: { provider: shop, get: /stats } }\n",
    ),
    ("params: { sku: Sku, amount: number }", "params: { sku: Sku, amount: number, note?: string }"),
    (
        "    summary: List items.\n    effect: read\n",
        "    summary: List items.\n    effect: write\n",
    ),
    (
        "    summary: List items.\n",
        "    summary: List items.\n    cache: { for: 10s, shared: true }\n",
    ),
    (
        "    summary: Change an item.\n    effect: write\n    dry_run: true\n    overwrites: true\n",
        "    summary: Change an item.\n    effect: read\n",
    ),
    ("    returns: Item\n", "    returns: content\n"),
    ("    returns: Item\n", "    returns: \"Item[]\"\n"),
];

fn parse(yaml: &str) -> Result<Authority, Problems> {
    load_sources("authority.yaml", |path| match path {
        "authority.yaml" => Ok(yaml.to_owned()),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    })
}

#[test]
fn one_fault_gives_one_problem() {
    let shown = faults::show_problems(GOOD, FAULTS, parse);
    insta::assert_snapshot!(shown);
}

#[test]
fn a_variable_of_the_environment_sets_one_setting() {
    let other = "  shop-eu:\n    summary: Another shop.\n    settings: { depth?: integer }\n    \
                 http: { base: \"https://eu.example\" }\n  bank:\n";
    let text = GOOD.replacen("  bank:\n", other, 1);
    assert!(parse(&text).is_ok(), "{:?}", faults::rendered(parse(&text)));
    let list = faults::rendered(parse(&text.replacen(
        "region?:",
        "eu_depth?: integer\n      region?:",
        1,
    )));
    assert_eq!(list.len(), 1, "{list:?}");
    assert!(
        list[0].contains("`TOOLWRIT_SHOP_EU_DEPTH` also sets the setting `eu_depth` of `shop`"),
        "{list:?}"
    );
}

#[test]
fn headers_that_the_engine_sets_are_refused() {
    for name in set_by_engine() {
        let list = faults::rendered(parse(&GOOD.replacen("X-Region?", &format!("{name}?"), 1)));
        assert!(list.iter().any(|shown| shown.contains(name)), "{name}: {list:?}");
    }
}

#[test]
fn a_key_in_capitals_is_recognized() {
    let list = faults::rendered(parse(&GOOD.replacen("post: /payments", "POST: /payments", 1)));
    assert!(list.iter().any(|shown| shown.contains("did you mean `post`?")), "{list:?}");
}

#[test]
fn bindings_become_tables() {
    let authority = parse(GOOD).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(authority.warnings(), []);
    let mut shown = String::new();
    for provider in &authority.providers {
        writeln!(shown, "{}", pretty(&provider.binding.as_ref().unwrap().table)).unwrap();
    }
    for operation in &authority.operations {
        writeln!(shown, "{}", pretty(&operation.binding.as_ref().unwrap().table)).unwrap();
        assert!(
            operation.open_world.is_none()
                && operation.uses_network()
                && !authority.is_handled(operation)
        );
    }
    insta::assert_snapshot!(shown);
}

fn pretty(table: &Value) -> String {
    serde_json::to_string_pretty(table).unwrap()
}

#[test]
fn the_only_api_needs_no_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/bindings");
    for file in ["blog.yaml", "tickets.yaml"] {
        let authority = load(&folder.join(file)).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(authority.warnings(), []);
        let bound = authority.operations.iter().filter(|operation| operation.binding.is_some());
        assert_eq!(bound.count(), authority.operations.len());
    }
}

#[test]
fn a_value_in_a_path_may_have_several_segments() {
    let yaml = GOOD.replacen("post: /payments", "post: \"/payments/{+sku}\"", 1);
    let authority = parse(&yaml).unwrap_or_else(|problems| panic!("{problems}"));
    let tables = authority.operations.iter().filter_map(|operation| operation.binding.as_ref());
    let paths: Vec<String> =
        tables.map(|binding| binding.table["http"]["request"]["path"].to_string()).collect();
    assert_eq!(paths.iter().filter(|path| path.contains("\"segments\"")).count(), 1, "{paths:?}");
    let yaml = GOOD.replacen("post: /payments", "post: \"/payments/{+skv}\"", 1);
    let list = faults::rendered(parse(&yaml));
    assert_eq!(list.len(), 1, "{list:?}");
}

#[test]
fn a_written_manifest_binds_the_same() {
    let authority = parse(GOOD).unwrap();
    let again = parse(&emit::to_yaml(&authority)).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(again, authority);
}

#[test]
fn callers_do_not_see_how_operations_are_bound() {
    let authority = parse(GOOD).unwrap();
    let operations = ["items.list"].into();
    let narrow = authority.narrowed(&View { operations, focus: "full", role: None });
    let yaml = emit::to_yaml(&narrow);
    assert!(
        !yaml.contains("http") && !yaml.contains("settings: [") && !yaml.contains("$url"),
        "{yaml}"
    );
    parse(&yaml).unwrap_or_else(|problems| panic!("{problems}"));
}
