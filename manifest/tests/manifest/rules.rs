//! Every rule of the language: one fault in an otherwise valid manifest gives exactly one problem.

use std::fmt::Write;

use toolwrit_manifest::{Problems, load_sources};

use crate::faults;

const GOOD: &str = include_str!("fixtures/complete.yaml");

/// A text of the valid manifest, and its replacement.
const FAULTS: &[(&str, &str)] = &[
    // the document
    ("toolwrit: 1\n", "toolwrit: 2\n"),
    ("toolwrit: 1\n", "toolwrit: one\n"),
    ("toolwrit: 1\n", "toolwrit: \"1\"\n"),
    ("toolwrit: 1\n", ""),
    ("budget: {", "budgets: {"),
    ("budget: {", "buget: {"),
    ("budget: { flat: 4000, dispatch: 2500, meta: 500 }", "budget: 5"),
    ("  title: Notes\n", "  title: 5\n"),
    ("  title: Notes\n", "  title: no\n  title: yes\n"),
    ("  title: Notes\n", "  title:\n"),
    ("  title: Notes\n", "  title: !name Notes\n"),
    ("  title: Notes\n", "  title: &name Notes\n"),
    ("  title: Notes\n", "  title: *name\n"),
    ("  title: Notes\n", "  <<: { title: Notes }\n"),
    ("  title: Notes\n", "  5: Notes\n"),
    ("  title: Notes\n", "  title: .nan\n"),
    ("  title: Notes\n", "  title: Notes\u{202e}seton\n"),
    ("  title: Notes\n", "  title: \"Notes\\u200b\"\n"),
    ("  title: Notes\n", "  title: Notes # \u{e0041}\n"),
    ("  weekly: {", "---\n  weekly: {"),
    ("  name: notes\n", ""),
    ("  name: notes\n", "  name: ''\n"),
    ("  prefix: np\n", "  prefix: n p\n"),
    ("  prefix: np\n", "  prefix: notes_of_people_who_write_more_than_they_can_know\n"),
    ("toolwrit: 1\n", "toolwrit: 1\ninclude: [missing.yaml]\n"),
    ("toolwrit: 1\n", "toolwrit: 1\ninclude: [\"*.yaml\"]\n"),
    ("toolwrit: 1\n", "toolwrit: 1\ninclude: [/etc/x.yaml]\n"),
    ("toolwrit: 1\n", "toolwrit: 1\ninclude: [a/../../x.yaml]\n"),
    ("toolwrit: 1\n", "toolwrit: 1\ninclude: [./authority.yaml]\n"),
    // limits
    ("timeout: 30s", "timeout: 30"),
    ("timeout: 30s", "timeout: 0s"),
    ("concurrency: 16", "concurrency: 0"),
    ("result_bytes: 1MiB", "result_bytes: 1MB"),
    ("session_calls: 500", "session_calls: 0"),
    ("session_calls: 500", "session_calls: -2"),
    ("session_calls: 500", "session_calls: many"),
    ("meta: 500", "meta: 0"),
    // types
    ("  Secret:", "  secret: string\n  Secret:"),
    ("  Secret:", "  Self: string\n  Secret:"),
    ("  Status: {", "  NotePath2: { type: strin }\n  Status: {"),
    ("enum: [todo, in_progress, done]", "enum: []"),
    ("enum: [todo, in_progress, done]", "enum: [todo, todo]"),
    ("enum: [todo, in_progress, done]", "enum: [in_progress, in-progress]"),
    ("enum: [todo, in_progress, done]", "enum: [ALL, all-value]"),
    ("enum: [todo, in_progress, done]", "enum: [m, m²]"),
    ("enum: [todo, in_progress, done]", "enum: [1, todo]"),
    ("enum: [todo, in_progress, done]", "enum: { todo: To do., done: 5 }"),
    ("enum: [todo, in_progress, done]", "enum: { todo: To do., 2: Done. }"),
    ("enum: [todo, in_progress, done]", "enum: { in_progress: Now., in-progress: Now. }"),
    ("enum: [todo, in_progress, done]", "enum: {}"),
    // text that needs quotes
    ("enum: [todo, in_progress, done]", "fields: { tags: string[], done: boolean }"),
    ("enum: [todo, in_progress, done]", "fields: { tags: { type: string[][] } }"),
    ("enum: [todo, in_progress, done]", "type: string, description: One of: three."),
    ("  title: Notes\n", "  title: Notes: mine\n"),
    ("  title: Notes\n", "\ttitle: Notes\n"),
    ("  title: Notes\n", "  title: Notes # mine\n\tlogging: true\n"),
    ("  title: Notes\n", "  title: Notes: mine\n\tlogging: true\n"),
    ("  title: Notes\n", "  title: My\n    notes: all\n"),
    ("  Secret:", "  Loop: { fields: { next: Loop } }\n  Secret:"),
    ("  Secret:", "  One: Two[]\n  Two: { fields: { one: One } }\n  Secret:"),
    // names and unions of types from elsewhere
    ("enum: [todo, in_progress, done]", "fields: { a: \"string | null\" }"),
    ("enum: [todo, in_progress, done]", "fields: { a: \"null | date\" }"),
    ("enum: [todo, in_progress, done]", "fields: { a: \"any | string\" }"),
    ("enum: [todo, in_progress, done]", "fields: { a: \"object | array\" }"),
    ("enum: [todo, in_progress, done]", "fields: { a: float }"),
    ("enum: [todo, in_progress, done]", "fields: { a: any }"),
    ("  Secret:", "  OuterKind: string\n  Outer: { fields: { kind: a | b } }\n  Secret:"),
    ("  Secret:", "  TagsItem: string\n  Tags: { type: \"(a | b)[]\" }\n  Secret:"),
    ("  Secret:", "  TagsItem: string\n  Tags: map<a | b>\n  Secret:"),
    ("    example: Projects/Plan.md", "    example: 5"),
    ("    example: Projects/Plan.md", "    default: x"),
    ("    pattern: \"^[^\\\\x00]+$\"", "    pattern: \"(?=x)\""),
    ("    pattern: \"^[^\\\\x00]+$\"", "    pattern: \"[a-\""),
    ("    max_length: 1024", "    max_length: 0"),
    ("    max_length: 1024", "    max: 1024"),
    ("type: number, min: 0, max: 1.5", "type: number, min: 2, max: 1.5"),
    ("type: number, min: 0, max: 1.5", "type: number, fields: { a: string }"),
    ("type: number, min: 0, max: 1.5", "type: number, min_length: 3"),
    ("type: number, min: 0, max: 1.5", "type: boolean, pattern: x"),
    ("  NoteList: NoteMeta[]", "  NoteList: NoteMeta[]\n  Empty: { fields: {} }"),
    (
        "  NoteList: NoteMeta[]",
        "  NoteList: NoteMeta[]\n  Many: { type: \"string[][][][][][][][][]\" }",
    ),
    // categories
    ("    summary: Read, write and move notes.\n", ""),
    ("    keywords: [note, file]", "    keywords: [note, note]"),
    ("    keywords: [note, file]", "    keywords: note"),
    ("tool: fetch, direct", "tool: fetch me, direct"),
    ("tool: fetch, direct: true", "tool: vault"),
    ("tool: fetch, direct: true", "tool: fetch_whatever_someone_may_ask_for_from_the_whole_web"),
    ("tool: fetch, direct: true", "tool: vault_read"),
    ("  vault:\n", "  Vault2: { summary: X. }\n  vault:\n"),
    ("  vault:\n", "  web_fetch: { summary: X. }\n  vault:\n"),
    ("  vault:\n", "  super: { summary: X. }\n  vault:\n"),
    ("  vault:\n", "  types: { summary: X. }\n  vault:\n"),
    ("providers: { index: write }", "providers: { idnex: write }"),
    ("providers: { index: write }", "providers: { index: all }"),
    ("providers: { index: write }", "providers: [index]"),
    // access
    ("\"vault.full-text.*\"", "\"vault.full-txt.*\""),
    ("\"vault.full-text.*\"", "\"valt.full-text.*\""),
    ("allow: [vault, \"web-fetch.*\"]", "allow: [valt]"),
    ("allow: [vault, \"web-fetch.*\"]", "allow: [\"webfetch.*\"]"),
    ("deny: [{ effect: destroy }]", "deny: [{ effect: delete }]"),
    ("deny: [{ effect: destroy }]", "deny: [{}]"),
    ("deny: [{ effect: destroy }]", "deny: [{ effects: destroy, tag: bulk }]"),
    ("deny: [{ effect: destroy }]", "deny: [{ tag: heavy }]"),
    ("extends: reader", "extends: raeder"),
    ("reader: { summary: Reads.,", "reader: { summary: Reads., extends: editor,"),
    ("include: [vault.read, { tag: bulk }]", "include: [vault.raed]"),
    ("    keywords: [ticket, issue]\n    patterns: ['\\b[A-Z]{2,10}-\\d+\\b']\n", ""),
    ("{ keyword: weekly review, weight: 2 }, review", "{ keyword: review, weight: 2 }, review"),
    ("{ keyword: weekly review, weight: 2 }", "{ keyword: '...' }"),
    ("{ keyword: weekly review, weight: 2 }", "{ keyword: '' }"),
    ("{ keyword: weekly review, weight: 2 }", "{ keyword: weekly review, weight: 0 }"),
    ("{ keyword: weekly review, weight: 2 }", "{ keyword: weekly review, weight: -1 }"),
    ("{ keyword: weekly review, weight: 2 }", "{ keyword: weekly review, weight: .inf }"),
    ("{ keyword: weekly review, weight: 2 }", "{ keyword: weekly review, weight: heavy }"),
    ("{ keyword: weekly review, weight: 2 }", "{ keyword: weekly review, heft: 2 }"),
    ("{ keyword: weekly review, weight: 2 }", "[weekly review, 2]"),
    ("{ pattern: 'W\\d\\d', weight: 0.5 }", "{ weight: 0.5 }"),
    ("{ pattern: 'W\\d\\d', weight: 0.5 }", "{ pattern: '(W' }"),
    ("{ pattern: 'W\\d\\d', weight: 0.5 }", "{ pattern: 'W*' }"),
    ("{ pattern: 'W\\d\\d', weight: 0.5 }", "W\\d, W\\d"),
    ("    threshold: 0.6", "    threshold: 0"),
    ("    threshold: 0.6", "    threshold: 1.2"),
    ("    threshold: 0.6", "    threshold: .nan"),
    ("    threshold: 0.6", "    threshold: 0.9"),
    (
        "  full: { summary: Everything., allow: [\"*\"] }",
        "  full: { summary: Most., allow: [web-fetch, resources, prompts] }",
    ),
    // operations
    ("  vault.list:", "  list: { summary: X., effect: read }\n  vault.list:"),
    ("  vault.list:", "  vault.List: { summary: X., effect: read }\n  vault.list:"),
    ("  vault.list:", "  volt.list: { summary: X., effect: read }\n  vault.list:"),
    (
        "  vault.list:",
        "  vault.list_2: { summary: X., effect: read }\n  vault.list2: { summary: X., effect: read }\n  vault.list:",
    ),
    ("  vault.full-text.rebuild:", "  vault.Full.rebuild:"),
    ("  vault.full-text.rebuild:", "  vault.full-text.re-build:"),
    ("  vault.full-text.rebuild:", "  vault..rebuild:"),
    ("  vault.full-text.rebuild:", "  vault.index.rebuild:daily:"),
    ("  vault.full-text.rebuild:", "  vault.web-fetch.page:"),
    ("  vault.list:", "  vault.full_text_rebuild: { summary: X., effect: read }\n  vault.list:"),
    ("  vault.list:", "  vault.self: { summary: X., effect: read }\n  vault.list:"),
    ("  vault.list:", "  vault.handlers: { summary: X., effect: read }\n  vault.list:"),
    ("  vault.list:", "  vault.read_result: { summary: X., effect: read }\n  vault.list:"),
    ("  vault.list:", "  vault.read_format: { summary: X., effect: read }\n  vault.list:"),
    ("  vault.list:", "  vault.read_fields: { summary: X., effect: read }\n  vault.list:"),
    (
        "  vault.list:",
        "  vault.tags_result_item: { summary: X., effect: read }\n  vault.tags: { summary: X., effect: read, returns: \"(a | b)[]\" }\n  vault.list:",
    ),
    ("    effect: write\n", ""),
    ("    effect: write\n", "    effect: wirtes\n"),
    ("    summary: List notes.\n", ""),
    ("    summary: List notes.", "    sumary: List notes."),
    ("    summary: List notes.", "    summary: ''"),
    ("    summary: List notes.", "    summary: List notes. Then sleep."),
    ("    summary: List notes.", "    summary: \"List\\nnotes.\""),
    (
        "    summary: List notes.",
        "    summary: List notes of the vault and of everything that lies below it, with all that is known of each of them.",
    ),
    ("    confirm: true\n", ""),
    ("    confirm: true\n", "    confirm: false\n"),
    ("    confirm: true\n", "    confirm: true\n    cache: 5s\n"),
    ("    confirm: true\n", "    confirm: true\n    overwrites: true\n"),
    ("    idempotent: false\n", "    confirm: true\n"),
    ("    idempotent: false\n", "    dry_run: true\n"),
    ("    idempotent: false\n", "    idempotent: false\n    retry: 2\n"),
    ("    idempotent: false\n", "    retry: 6\n"),
    ("    idempotent: false\n", "    select: yes\n"),
    (
        "    returns: Listing\n    page: { default: 50, max: 500 }",
        "    returns: string\n    select: true",
    ),
    ("    params: { path: NotePath }", "    params: { path: NotePath }\n    select: true"),
    (
        "    params: { path: NotePath }",
        "    params: { path: NotePath }\n    page: { default: 1, max: 2 }",
    ),
    ("    params: { path: NotePath }", "    params: { path: NotePath, dry_run: boolean }"),
    ("entries: NoteList, total: integer", "entries: NoteList, next_cursor: integer"),
    ("entries: NoteList, total: integer", "entries: NoteList, total: json"),
    ("    page: { default: 50, max: 500 }", "    page: { default: 501, max: 500 }"),
    ("    page: { default: 50, max: 500 }", "    page: { default: 50 }"),
    ("    requires: dataview", "    requires: dataveiw"),
    ("use: vault.list,", "use: vault.lst,"),
    ("use: vault.list,", "use: vault.read,"),
    ("since: \"0.3\"", "since: 0.3"),
    ("asks: [\"show me my meeting notes from Monday\"]", "asks: [\"\"]"),
    ("    asks: [write this down]\n", ""),
    ("description: Longer text.", "description: [Longer text.]"),
    ("task: { support: optional, begins: by_handler }", "task: always"),
    ("task: { support: optional, begins: by_handler }", "task: { begins: by_handler }"),
    ("begins: by_handler", "begins: by_hand"),
    // parameters
    ("      path: NotePath\n", "      path: NotePaht\n"),
    ("      path: NotePath\n", "      path: NotePath\n      path?: string\n"),
    ("      path: NotePath\n", "      path: NotePath\n      Path?: string\n"),
    ("      path: NotePath\n", "      path: NotePath\n      self?: string\n"),
    ("      path: NotePath\n", "      path: NotePath\n      fields?: string\n"),
    ("      path: NotePath\n", "      path: NotePath\n      more?: \"string[\"\n"),
    ("      path: NotePath\n", "      path: NotePath\n      more?: map<string\n"),
    ("      path: NotePath\n", "      path: NotePath\n      more?: string | integer\n"),
    ("      path: NotePath\n", "      path: NotePath\n      more?: a | Status\n"),
    ("      path: NotePath\n", "      path: NotePath\n      more?: a | string[]\n"),
    ("      path: NotePath\n", "      path: NotePath\n      more?: string integer\n"),
    ("      path: NotePath\n", "      path: NotePath\n      more?: 5\n"),
    ("      path: NotePath\n", "      path: NotePath\n      more?: string =\n"),
    ("markdown | json = markdown", "markdown | json = html"),
    ("whole?: boolean = false", "whole?: boolean = no"),
    ("since?: date = 2026-01-31", "since?: date = 2026-31-01"),
    ("since?: date = 2026-01-31", "since?: date = 2026-02-29"),
    ("since?: date = 2026-01-31", "since?: date = 2026-04-31"),
    ("since?: date = 2026-01-31", "since?: date = 1900-02-29"),
    ("since?: date = 2026-01-31", "since?: datetime = 2026-02-30T09:30:00Z"),
    ("kinds?: (in | out)[] = [in]", "kinds?: (in | out)[] = [in"),
    ("kinds?: (in | out)[] = [in]", "kinds?: (in | out)[] = [in, up]"),
    ("{ type: integer, min: 1,", "{ type: integer = 5, min: 1,"),
    ("{ type: integer, min: 1,", "{ type: integer, min: 1.5,"),
    ("{ type: integer, min: 1,", "{ type: integer, format: u16, min: 1,"),
    ("{ type: integer, min: 1,", "{ type: integer, format: u32, min: -1,"),
    ("type: number, min: 0, max: 1.5", "type: number, format: u32"),
    ("{ type: integer, min: 1,", "{ typ: integer, type: integer, min: 1,"),
    ("min_items: 1, max_items: 9", "min_length: 1, max_items: 9"),
    ("default: { a: b } }", "default: { a: 5 } }"),
    // fields to select
    (
        "    returns: NoteMeta\n",
        "    returns: { fields: { entries: NoteList, entries_path: string } }\n",
    ),
    // reused answers
    ("cache: { for: 30s, shared: true }", "cache: soon"),
    ("cache: { for: 30s, shared: true }", "cache: { shared: true }"),
    ("cache: { for: 30s, shared: true }", "cache: 30s\n    invalidates: [web-fetch]"),
    ("invalidates: [web-fetch]", "invalidates: [web-fetch, web-fetch]"),
    ("invalidates: [web-fetch]", "invalidates: [vault]"),
    ("invalidates: [web-fetch]", "invalidates: [web]"),
    ("invalidates: [web-fetch]", "cache: { for: 30s }"),
    // errors
    ("  QUOTA_2: {", "  QUOTA__2: {"),
    ("  QUOTA_2: {", "  quota: {"),
    ("  QUOTA_2: {", "  CONFLICT: {"),
    ("  QUOTA_2: {", "  SELF: {"),
    ("  QUOTA_2: {", "  VAULT_LOCKED: {"),
    ("errors: [VAULT_LOCKED]", "errors: [VAULT_LOCKD]"),
    ("errors: [VAULT_LOCKED]", "errors: [VAULT_LOCKED, VAULT_LOCKED]"),
    ("  web-fetch: {", "  errors: { summary: X. }\n  web-fetch: {"),
    // names on the wire
    ("      - get_vault_file", "      - get vault file"),
    ("      - get_vault_file", "      - np_vault_list"),
    ("      - get_vault_file", "      - np_vault_write"),
    ("      - get_vault_file", "      - np_discover"),
    ("      - get_vault_file", "      - np_execute"),
    ("      - get_vault_file", "      - get_file"),
    ("    tool: fetch_page", "    tool: fetch.page"),
    ("    tool: fetch_page", "    tool: vault_read"),
    (
        "    tool: fetch_page",
        "    tool: a_name_that_really_is_far_too_long_for_most_of_the_known_clients",
    ),
    // aliases and examples
    ("args: { filename: path }, set", "args: { filename: paht }, set"),
    ("args: { filename: path }, set", "args: { format: path }, set"),
    ("set: { format: json }", "set: { format: html }"),
    ("set: { format: json }", "set: { formt: json }"),
    ("set: { format: json }", "set: { path: x }"),
    ("flatten: [options]", "flatten: [path]"),
    ("state: /filter/status", "state: /filter/stats"),
    ("state: /filter/status", "state: /filer/status"),
    ("state: /filter/status", "state: /path/status"),
    ("state: /filter/status", "whole: /filter/status"),
    ("{ md: markdown }", "{ md: html }"),
    ("turns: { few: 3 }", "turns: { few: x }"),
    ("turns: { few: 3 }", "/filter/mode: { few: a }"),
    ("set: { /filter/mode: b }", "set: { /filter/mode: 5 }"),
    ("set: { /filter/mode: b }", "set: { /filter/status: todo }"),
    ("args: { path: Inbox.md }", "args: { path: Inbox.md, fromat: json }"),
    ("args: { path: Inbox.md }", "args: { path: 5 }"),
    ("args: { path: Inbox.md }", "args: { format: json }"),
    ("args: { kind: op, text: /data/text }", "args: { kind: opp, text: /data/text }"),
    ("args: { kind: op, text: /data/text }", "args: { data: op }"),
    ("into: ops, id: id, args", "into: opps, id: id, args"),
    ("into: ops, id: id, args", "into: atomic, id: id, args"),
    ("into: ops, id: id, args", "into: ops, id: ident, args"),
    ("into: ops, id: id, args", "into: ops, id: op, args"),
    ("into: ops, id: id, args", "id: id, args"),
    ("item: /data/path", "item: /date/path"),
    ("item: /data/path", "item: /op/path"),
    ("set: { op: delete }", "set: { op: remove }"),
    ("values: { op: { add: write } }", "values: { op: { add: writes } }"),
    ("ignore: [note]", "ignore: [data]"),
    ("ignore: [verbose]", "ignore: [atomic]"),
    ("ignore: [verbose]", "set: { ops: [] }"),
    ("args: { text: /ops/0/data/text }", "args: { text: /ops/first/data/text }"),
    ("args: { text: /ops/0/data/text }", "args: { text: /ops/0/date/text }"),
    ("args: { text: /ops/0/data/text }", "args: { text: /ops/100/data/text }"),
    ("set: { /ops/0/op: write, /ops/0/id: only }", "set: { /ops/0/op: wipe, /ops/0/id: only }"),
    // merged and removed tools
    ("    by: action\n", ""),
    ("    by: action\n", "    by: part\n"),
    ("    by: action\n", "    by: The-action\n"),
    ("    summary: Manage the index.\n", ""),
    ("scan: vault.scan, check", "scan: vault.scn, check"),
    ("scan: vault.scan, check", "scan: web-fetch.page, check"),
    ("scan: vault.scan, check", "Scan: vault.scan, check"),
    ("scan: vault.scan, check", "scan: vault.full-text.check, check"),
    ("scan: vault.scan, check", "scan: resources.inbox, check"),
    ("{ scan: vault.scan, check: vault.full-text.check }", "{}"),
    ("params: { \"part?\": string }", "params: { \"part?\": integer }"),
    ("params: { \"part?\": string }", "params: { \"part?\": string = a }"),
    ("  manage_index:\n", "  manage index:\n"),
    ("  manage_index:\n", "  vault_read:\n"),
    ("  tidy_vault: {", "  get_vault_file: {"),
    ("use: vault.list }\n  sell", "use: vault.lits }\n  sell"),
    ("sell_vault: { note: Nothing is for sale. }", "sell_vault: {}"),
    // resources and prompts
    ("uri: \"vault://inbox\"", "uri: \"inbox\""),
    ("uri: \"vault://inbox\"", "uri: \"vault://inbox\", variables: { path: The note. }"),
    ("uri: \"vault://notes/{path}/{format}\"", "uri: \"vault://notes/{path\""),
    ("uri: \"vault://notes/{path}/{format}\"", "uri: \"vault://{path}/{format}/{path}\""),
    ("uri: \"vault://inbox\"", "uri: \"vault://notes/{path}/{format}\""),
    ("      path: { description: The note., complete: true }", "      paht: The note."),
    ("values: [markdown, json] }", "values: [markdown, json], complete: true }"),
    ("values: [markdown, json] }", "values: [markdown, markdown] }"),
    ("  inbox: {", "  complete-note-path: {"),
    ("allow: [vault, ", "allow: [resources.nte, "),
    ("operations:\n", "operations:\n  resources.note2: { summary: A note., effect: read }\n"),
    ("\"weekDay?\": {", "\"week-day?\": {"),
    ("\"weekDay?\": {", "\"week_day?\": {}, \"weekDay?\": {"),
    ("mime_type: text/markdown", "mime_type: markdown"),
    ("Review {{path}}", "Review {{paht}}"),
    ("Review {{path}}", "Review {{path"),
    ("\"tone?\": {}", "\"path?\": {}"),
    ("summary: Write the weekly report.", "summary: Write it., template: \"{{week}}\""),
];

fn problems(yaml: &str) -> Problems {
    let read = |path: &str| match path {
        "authority.yaml" => Ok(yaml.to_owned()),
        _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
    };
    match load_sources("authority.yaml", read) {
        Err(problems) => problems,
        Ok(authority) => {
            let mut text = String::new();
            for warning in authority.warnings() {
                text.push_str(&warning.render(authority.sources()));
            }
            panic!("it loads, with the warnings: {text}")
        }
    }
}

#[test]
fn one_fault_gives_one_problem() {
    let shown = faults::show_problems(GOOD, FAULTS, |yaml| {
        load_sources("authority.yaml", |path| match path {
            "authority.yaml" => Ok(yaml.to_owned()),
            _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        })
    });
    insta::assert_snapshot!(shown);
}

#[test]
fn the_valid_manifest_has_no_problem() {
    let authority = load_sources("authority.yaml", |_| Ok(GOOD.to_owned()))
        .unwrap_or_else(|problems| panic!("{problems}"));
    assert!(authority.warnings().is_empty(), "{:?}", authority.warnings());
}

#[test]
fn leap_years_have_their_day() {
    for date in ["2024-02-29", "2000-02-29", "2026-12-31", "2026-11-30"] {
        let yaml = GOOD.replacen("since?: date = 2026-01-31", &format!("since?: date = {date}"), 1);
        load_sources("authority.yaml", |_| Ok(yaml.clone()))
            .unwrap_or_else(|problems| panic!("{problems}"));
    }
}

#[test]
fn all_faults_of_all_files_are_reported_together() {
    let root = "toolwrit: 1\nserver: { nam: x }\ninclude: [a.yaml, broken.yaml, b.yaml]\n\
                categories: { note: { summary: Notes. } }\nroles: { r: { extends: s } }\n";
    let a = "operations:\n  note.read:\n    summary: Read.\n    effect: raed\n    params: { p: strin }\n";
    let b = "roles: {}\noperations:\n  note.read: { summary: Again., effect: read }\n\
             \x20 note.wipe: { summary: Wipe., effect: destroy }\n  note.x: 5\n";
    let read = |path: &str| match path {
        "m/authority.yaml" => Ok(root.to_owned()),
        "m/a.yaml" => Ok(a.to_owned()),
        "m/broken.yaml" => Ok("operations: [\n".to_owned()),
        "m/b.yaml" => Ok(b.to_owned()),
        _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
    };
    let problems = load_sources("m/x/../authority.yaml", read).unwrap_err();
    insta::assert_snapshot!(problems.to_string());
    assert_eq!(problems.sources().iter().count(), 4);
    let salvage = problems.salvage().unwrap();
    let ids: Vec<&str> = salvage.operations.iter().map(|operation| operation.id.as_str()).collect();
    assert_eq!(ids, ["note.read", "note.wipe", "note.x"]);
}

#[test]
fn an_input_schema_that_clients_drop_is_refused() {
    let mut yaml = "toolwrit: 1\nserver: { name: x }\ncategories: { a: { summary: A. } }\n\
                    operations:\n  a.b:\n    summary: B.\n    effect: read\n    params:\n"
        .to_owned();
    for index in 0..20 {
        let text = "word ".repeat(200);
        writeln!(yaml, "      p{index}: {{ type: string, description: {text} }}").unwrap();
    }
    let problems = problems(&yaml);
    assert_eq!(problems.iter().count(), 1);
    assert!(problems.iter().next().unwrap().message().contains("input schema of `a.b`"));
}

#[test]
fn long_lines_tabs_and_wide_characters_keep_the_caret_in_place() {
    let long = format!("toolwrit: 1\nserver: {{ name: {}, nmae: x }}\n", "a".repeat(300));
    let wide = "toolwrit: 1\nserver: { title: 日本語のタイトル, name: x,\t\tnmae: x }\n";
    insta::assert_snapshot!(format!("{}\n\n{}", problems(&long), problems(wide)));
}
