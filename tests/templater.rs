//! Templates give the text that Templater's own engine and moment.js give, or differ for a reason that is given
//! here.
//!
//! `tests/templater/install` installs both.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::civil::date;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use toolwrit_plugins::templater::{Execution, TemplateError, Templater};
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};
use toolwrit_vault::{Vault, VaultPath};

const INSTALL: &str = "tests/templater/install";
/// The time zone of the tests, which has daylight saving time.
const ZONE: (&str, &str) = ("Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3");

/// Templates of which we give something else, and why.
const DIFFERENT: [(&str, &str); 3] = [
    ("<% (1, 2) %>", "the operator `,` is not supported: it hides mistakes"),
    ("<%*%>x", "the engine crashes on an empty command"),
    (
        "<%* const a = [1, 2]; %><% a %><%* a.pop() %>",
        "the engine inserts values only at the end; here they are inserted where they stand",
    ),
];

/// A template and the answers to its questions. The answer of a suggester is called `choice`.
struct Case {
    template: String,
    answers: Map<String, Value>,
}

fn case(template: impl Into<String>) -> Case {
    Case { template: template.into(), answers: Map::new() }
}

fn asking(template: &str, answers: Value) -> Case {
    let Value::Object(answers) = answers else { panic!("answers are an object") };
    Case { template: template.to_owned(), answers }
}

fn now() -> jiff::Zoned {
    date(2026, 3, 9).at(14, 5, 7, 89_000_000).to_zoned(TimeZone::posix(ZONE.1).unwrap()).unwrap()
}

/// What the engines give; `None` if they refuse.
fn theirs(cases: &[Case]) -> Option<Vec<Option<String>>> {
    let folder = workspace().join("tests/templater");
    let node = Path::new("node");
    let package = folder.join("node_modules/@silentvoid13/rusty_engine");
    if !met(&[Need::Program(node, (22, 0)), Need::File(&package)], INSTALL) {
        return None;
    }
    let mut command = Command::new(node);
    command.arg(folder.join("render.mjs")).env("TZ", ZONE.0);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let templates: Value = cases
        .iter()
        .map(|case| json!({"template": case.template, "answers": case.answers}))
        .collect();
    let input = json!({"now": now().timestamp().as_millisecond(), "templates": templates});
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let rendered: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    Some(rendered.iter().map(|done| done["text"].as_str().map(str::to_owned)).collect())
}

/// A vault with one template, `T`.
fn vault(template: &str) -> (TempDir, Vault) {
    let folder = TempDir::new().unwrap();
    let plugin = folder.path().join(".obsidian/plugins/templater-obsidian");
    fs::create_dir_all(&plugin).unwrap();
    let enabled = folder.path().join(".obsidian/community-plugins.json");
    fs::write(enabled, r#"["templater-obsidian"]"#).unwrap();
    fs::write(plugin.join("manifest.json"), r#"{"id": "templater-obsidian"}"#).unwrap();
    fs::write(plugin.join("data.json"), r#"{"templates_folder": "Templates"}"#).unwrap();
    fs::create_dir(folder.path().join("Templates")).unwrap();
    fs::write(folder.path().join("Templates/T.md"), template).unwrap();
    let vault = Vault::open(folder.path()).unwrap();
    (folder, vault)
}

/// What we give.
fn ours(case: &Case) -> Result<String, TemplateError> {
    let (_folder, vault) = vault(&case.template);
    let templater = Templater::open(&vault)?;
    let template = templater.template("T")?;
    let answer = |parameter: &toolwrit_plugins::templater::Parameter| {
        let given = case.answers.get(&parameter.description).or_else(|| case.answers.get("choice"));
        Some((parameter.name.clone(), given?.clone()))
    };
    let arguments = template.parameters.iter().filter_map(answer).collect();
    let target = VaultPath::parse("Work/Projects/Lantern.md").unwrap();
    let execution = Execution {
        template: "T",
        arguments: &arguments,
        target: Some(&target),
        dry_run: true,
        now: now().into(),
    };
    Ok(templater.execute(&execution, &|| false)?.content)
}

/// What each engine gives, where they disagree.
fn differences(cases: &[Case]) -> Vec<String> {
    let Some(theirs) = theirs(cases) else { return Vec::new() };
    let differ = |(case, theirs): (&Case, Option<String>)| {
        let ours = ours(case);
        let agrees = match (&ours, &theirs) {
            (Ok(ours), Some(theirs)) => ours == theirs,
            (Err(_), None) => true,
            _ => false,
        };
        let ours = ours.map_err(|error| error.to_string());
        (!agrees).then(|| format!("{:?}\n  ours {ours:?}\ntheirs {theirs:?}\n", case.template))
    };
    cases.iter().zip(theirs).filter_map(differ).collect()
}

fn compare(cases: &[Case]) {
    let differences = differences(cases).concat();
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn the_listed_differences_are_there() {
    let cases = DIFFERENT.map(|(template, _)| case(template));
    let found = differences(&cases).len();
    assert!(found == DIFFERENT.len() || theirs(&cases).is_none(), "{found} templates differ");
}

#[test]
fn tags_and_white_space() {
    let templates = [
        "plain text",
        "a<% 1 + 1 %>b",
        "a\n<%- 1 -%>\nb",
        "a\n\n<%- 1 -%>\n\nb",
        "a \n\n <%_ 1 _%> \n\n b",
        "\r\n<%- 1 -%>\r\nb",
        "a\t<%- 1 -%>\t\nb",
        "a<%_ 1 -%>\n\nb",
        "<%-* tR += 1 -%>\nx",
        "<%* /* nothing */ %>x",
        "<%* // nothing\n%>x",
        "<%\n 1\n%>",
        "a %> b",
        "{ x } `${1}` \\n \\",
        "<% 'x' ",
        "<% '%>' %>",
        "<% 1; %>",
        "<%# comment %>",
        "ünïcode <% 'ß' %> 日本",
    ];
    compare(&templates.map(case));
}

#[test]
fn statements() {
    let templates = [
        "<%* if (1 < 2) { -%>\nyes\n<%* } else { -%>\nno\n<%* } -%>\nend",
        "<%* if (false) { %>a<%* } else if (true) { %>b<%* } else { %>c<%* } %>",
        "<%* for (let i = 0; i < 3; i++) { %>- <% i %>\n<%* } %>",
        "<%* for (const x of ['a', 'b']) { tR += x + '\\n' } %>",
        "<%* for (const [i, x] of ['a', 'b'].entries()) { tR += `${i}${x};` } %>",
        "<%* for (const k in { a: 1, b: 2 }) { tR += k } %>",
        "<%* for (const k in ['x', 'y']) { tR += k } %>",
        "<%* let n = 3; while (n > 0) { tR += n--; if (n === 1) break } %>",
        "<%* let n = 0; do { n += 2; if (n == 4) continue; tR += n } while (n < 8) %>",
        "<%* switch (2) { case 1: tR += 'one'; break; case 2: tR += 'two'; case 3: tR += 'three'; break; default: tR += 'many' } %>",
        "<%* switch ('x') { default: tR += 'd'; case 1: tR += '1' } %>",
        "<%* function twice(x) { return 2 * x } %><% twice(21) %>",
        "<%* tR += early(2); function early(x) { if (x > 1) { return 'big' } return 'small' } %>",
        "<%* const f = (a, b = 2, ...rest) => a + b + rest.length; %><% f(1) %> <% f(1, 1, 5, 5) %>",
        "<%* const f = async ({ a, b: [c, d = 4] }) => { return a + c + d } %><% await f({ a: 1, b: [2] }) %>",
        "<%* var x = 1; { var x = 2; let y = 3 } %><% x %>",
        "<%* if (true) { var x = 'seen' } %><% x %>",
        "<%* let x = 1; { let x = 2; tR += x } tR += x %>",
        "<%* const c = []; for (let i = 0; i < 3; i++) { c.push(() => 'f') } %><% c.map(f => f()).join('') %>",
        "<%* try { null.x } catch (e) { tR += 'caught' } finally { tR += '!' } %>",
        "<%* try { throw 'out' } catch { tR += 'in' } %>",
        "<%* let a = 1\nlet b = 2\n%><% a + b %>",
        "<%* const a = 1; a = 2 %>",
        "<%* tR = 'new' %>z",
        "text <%* tR = tR.toUpperCase() %>z",
        "<%* let a = 1, b = a + 1; [a, b] = [b, a] %><% a %><% b %>",
        "<%* const { a, ...rest } = { a: 1, b: 2, c: 3 } %><% Object.keys(rest) %>",
        "<%* undefinedName %>",
        "<%* if (x { %>",
        "<%* } %>",
        "<%* const counter = () => { let n = 0; return () => ++n }; const next = counter(); next() %><% next() %>",
    ];
    compare(&templates.map(case));
}

#[test]
fn expressions() {
    let templates = [
        "<% undefined %> <% null %> <% true %> <% [1, [2, null, 'x']] %> <% ({ a: 1 }) %>",
        "<% 1 + 2 * 3 ** 2 / 4 - 5 % 3 %> <% 2 ** 3 ** 2 %> <% -7 % 3 %> <% 1 / 3 %>",
        "<% 0.1 + 0.2 %> <% 1e21 %> <% 1e-7 %> <% 123456789012 %> <% 1 / 0 %> <% 0 / 0 %> <% -0 %>",
        "<% '1' + 2 %> <% '3' * '4' %> <% 1 + null %> <% 1 + undefined %> <% true + 1 %> <% [1] + 1 %>",
        "<% 1 == '1' %> <% 1 === '1' %> <% null == undefined %> <% null == 0 %> <% '' == 0 %> <% NaN == NaN %>",
        "<% 'a' < 'b' %> <% 'B' < 'a' %> <% 10 > '9' %> <% '10' > '9' %>",
        "<% 0 || 'x' %> <% 0 ?? 'x' %> <% '' && 'x' %>|<% null ?? 'y' %> <% !'' %> <% !!'a' %>",
        "<% 1 ? 2 ? 'a' : 'b' : 'c' %>",
        "<% ({ a: { b: [1, 2] } }).a?.b?.[1] %> <% ({}).a?.b.c.d %> <% ({}).f?.() %>",
        "<% typeof 1 %> <% typeof 'x' %> <% typeof {} %> <% typeof null %> <% typeof undefined %> <% typeof missing %> <% typeof (() => 1) %>",
        "<% `a${1 + 1}b${`c${'d'}`}` %> <% `line\\n\\`` %>",
        "<% 'it\\'s' + \"\\u00e9\\x41\\u{1F600}\" %>",
        "<%* let n = 5; n += 2; n *= 3; n -= 1; n /= 4; n %= 3; n **= 2 %><% n %> <% n++ %> <% ++n %> <% n-- %>",
        "<%* let o = { a: null }; o.a ??= 3; o.b ||= 4; o['c'] = 5; o.a &&= 6 %><% JSON.stringify(o) %>",
        "<% [...'ab', ...[1, 2]].join('-') %> <% JSON.stringify({ ...{ a: 1 }, b: 2 }) %>",
        "<% 'a' in { a: 1 } %> <% 2 in [1, 2] %>",
        "<% 0x1f %> <% 1_000 %> <% .5 %> <% 1.50 %>",
        "<% [3, 1, 2].sort() %> <% [10, 9, 1].sort() %> <% [10, 9, 1].sort((a, b) => a - b) %> <% ['b', 'a'].reverse() %>",
        "<% [1, 2, 3, 4].filter(x => x % 2).map(x => x * x) %> <% [1, 2, 3].reduce((a, b) => a + b, 10) %>",
        "<% [1, 2, 3].find(x => x > 1) %> <% [1, 2].findIndex(x => x > 5) %> <% [1, 2].some(x => x > 1) %> <% [1, 2].every(x => x > 1) %>",
        "<% [1, 2, 3, 4, 5].slice(1, -1) %> <% [1, 2, 3].slice(-2) %> <% [1, [2, [3]]].flat().length %> <% ['a'].concat('b', ['c']) %>",
        "<%* const a = [1, 2, 3, 4]; const r = a.splice(1, 2, 'x') %><% a.join() %> <% r %> <% a.indexOf(4) %> <% a.includes('x') %> <% a.pop() %> <% a.shift() %>",
        "<% Array.from({ length: 3 }, (_, i) => i * 2) %> <% Array.isArray([]) %> <% Object.entries({ a: 1, b: 2 }) %> <% Object.values({ a: 1 }) %>",
        "<% JSON.stringify({ a: [1, 'x', null, undefined], b: undefined, c: { d: true } }) %> <% JSON.parse('{\"a\": [1]}').a[0] %>",
        "<% Math.max(1, 5, 3) %> <% Math.min() %> <% Math.round(2.5) %> <% Math.round(-2.5) %> <% Math.floor(-1.5) %> <% Math.abs(-3) %> <% Math.trunc(-1.7) %>",
        "<% parseInt('42px') %> <% parseFloat('3.14abc') %> <% Number('') %> <% Number('x') %> <% Number(' 12 ') %> <% (3.14159).toFixed(2) %> <% isNaN('x') %> <% String(12) %>",
        "<% `${[1, 2]}` %> <% [] + '' %>| <% [undefined, null].join() %>|",
    ];
    compare(&templates.map(case));
}

#[test]
fn strings_and_regular_expressions() {
    let templates = [
        "<% 'Hello World'.toUpperCase() %> <% 'ÄÖ'.toLowerCase() %> <% '  x '.trim() %>| <% 'abc'.length %> <% '😀'.length %>",
        "<% 'a-b-c'.split('-') %> <% 'abc'.split('') %> <% 'a b'.split(/\\s/) %> <% 'a,b,c'.split(',', 2) %> <% 'x'.split() %>",
        "<% 'abcdef'.slice(1, 3) %> <% 'abcdef'.slice(-2) %> <% 'abcdef'.substring(4, 1) %> <% 'abcdef'.substr(-3, 2) %> <% 'abc'.charAt(1) %> <% 'abc'[2] %> <% 'abc'.at(-1) %>",
        "<% 'abcabc'.indexOf('c') %> <% 'abcabc'.lastIndexOf('c') %> <% 'abc'.indexOf('x') %> <% 'äbc'.indexOf('b') %>",
        "<% 'abc'.includes('b') %> <% 'abc'.startsWith('ab') %> <% 'abc'.endsWith('x') %>",
        "<% 'a.b.c'.replace('.', '-') %> <% 'a.b.c'.replaceAll('.', '-') %> <% 'a.b.c'.replace(/\\./g, '') %> <% 'John Smith'.replace(/(\\w+)\\s(\\w+)/, '$2, $1') %> <% 'aa'.replace('a', '$&$&$$') %>",
        "<% 'hello world'.replace(/\\b\\w/g, c => c.toUpperCase()) %> <% 'x1y2'.replace(/\\d/g, d => d * 2) %>",
        "<% '5'.padStart(3, '0') %> <% '5'.padEnd(3) %>| <% 'ab'.repeat(3) %> <% 'abc'.padStart(2) %>",
        "<% /^\\d{4}-\\d{2}$/.test('2026-03') %> <% /a/i.test('A') %> <% 'x=1, y=2'.match(/\\w=\\d/g) %> <% 'v12'.match(/v(\\d+)/)[1] %> <% 'a'.match(/b/) %> <% 'abc'.search(/c/) %>",
        "<% 'a/b'.split('/').pop() %> <% 'file.name.md'.split('.').slice(0, -1).join('.') %>",
        "<% 'ünïcode'.normalize('NFD').length %> <% 'e\\u0301'.normalize().length %>",
        "<% 'a'.concat('b', 1) %> <% 'abc'.charCodeAt(0) %> <% 'b'.localeCompare('a') %>",
        "<% 'Café Ünïon'.replace(/[^a-zA-Z0-9 ]/g, '') %> <% 'a_b c'.replace(/[_ ]/g, '-') %> <% 'a[b]'.replace(/[\\[\\]]/g, '') %>",
    ];
    compare(&templates.map(case));
}

#[test]
fn functions_of_templater() {
    let templates = [
        "<% tp.date.now() %> <% tp.date.now('Do MMMM YYYY') %> <% tp.date.now('YYYY-MM-DD', 7) %> <% tp.date.now('YYYY-MM-DD', -1) %>",
        "<% tp.date.now('YYYY-MM-DD', 'P-1M') %> <% tp.date.now('YYYY-MM-DD', 'P1Y2M3W4D') %> <% tp.date.now('HH:mm', 'PT-90M') %> <% tp.date.now('YYYY-MM-DD', 'nonsense') %>",
        "<% tp.date.now('YYYY-MM-DD', 1, '2024-02-28', 'YYYY-MM-DD') %> <% tp.date.now('dddd', 0, '09.03.2026', 'DD.MM.YYYY') %>",
        "<% tp.date.tomorrow() %> <% tp.date.yesterday('gggg-[W]ww') %> <% tp.date.tomorrow('dddd Do MMMM YYYY, ddd') %>",
        "<% tp.date.weekday('YYYY-MM-DD', 0) %> <% tp.date.weekday('YYYY-MM-DD', 7) %> <% tp.date.weekday('YYYY-MM-DD', -7) %> <% tp.date.weekday('YYYY-MM-DD', 2, '2021-01-01', 'YYYY-MM-DD') %>",
        "# <% tp.file.title %>\n<% tp.file.folder() %> <% tp.file.folder(true) %> <% tp.file.path(true) %> <% tp.file.creation_date() %> <% tp.file.last_modified_date('dddd') %>",
        "<%* const [first, ...rest] = tp.file.title.split('') %><% first %><% rest.length %>",
        "<% tp.frontmatter.missing %> <% tp.frontmatter['x y'] ?? 'none' %>",
        "<%* const day = moment(tp.file.title, 'YYYY-MM-DD'); %><% day.isValid() %>",
        "---\ncreated: <% tp.date.now('YYYY-MM-DDTHH:mm:ss') %>\naliases: [<% tp.file.title %>]\n---\n\n# <% tp.file.title %>\n\n<< [[<% tp.date.now('YYYY-MM-DD', -1) %>]] | [[<% tp.date.now('YYYY-MM-DD', 1) %>]] >>\n",
        "<%* const start = moment().startOf('isoWeek'); for (let i = 0; i < 7; i++) { -%>\n- [[<% start.clone().add(i, 'days').format('YYYY-MM-DD') %>]]\n<%* } -%>\nend",
        "<%* const d = tp.date.now('d') %><%* if (d == 1) { %>Monday!<%* } %>",
    ];
    let mut cases: Vec<Case> = templates.map(case).into();
    cases.extend([
        asking("<% await tp.system.prompt('Your name?') %>", json!({"Your name?": "Ana"})),
        asking("<%* const t = await tp.system.prompt('Title', 'none'); tR += t.toUpperCase() %>", json!({})),
        asking("<%* let t = await tp.system.prompt('Topic'); if (t) { %># <% t %><%* } %>", json!({"Topic": "Oil"})),
        asking("<% await tp.system.suggester(['Good', 'Bad'], ['😀', '🙁']) %>", json!({"choice": "Bad"})),
        asking("<%* const m = await tp.system.suggester((x) => x.name, [{ name: 'a', n: 1 }, { name: 'b', n: 2 }]) %><% m.n %>", json!({"choice": "b"})),
        asking("<%* const p = await tp.system.suggester(['one', 'two'], [1, 2]); switch (p) { case 1: tR += 'I'; break; case 2: tR += 'II' } %>", json!({"choice": "two"})),
    ]);
    compare(&cases);
}

#[test]
fn formats_of_dates() {
    const FORMATS: [&str; 62] = [
        "YYYY-MM-DD",
        "YY",
        "Y",
        "YYYYY",
        "YYYYYY",
        "Q",
        "Qo",
        "M",
        "Mo",
        "MM",
        "MMM",
        "MMMM",
        "D",
        "Do",
        "DD",
        "DDD",
        "DDDo",
        "DDDD",
        "d",
        "do",
        "dd",
        "ddd",
        "dddd",
        "e",
        "E",
        "w",
        "wo",
        "ww",
        "W",
        "Wo",
        "WW",
        "gg",
        "gggg",
        "GG",
        "GGGG",
        "H",
        "HH",
        "h",
        "hh",
        "k",
        "kk",
        "a",
        "A",
        "m",
        "mm",
        "s",
        "ss",
        "S",
        "SSS",
        "SSSSS",
        "X",
        "x",
        "Z",
        "ZZ",
        "z",
        "LT LTS",
        "L LL",
        "LLL | LLLL",
        "l ll lll llll",
        "[Week] W [of] GGGG",
        "YYYY/MM-MMMM/[w]ww \\D\\a\\y",
        "hmm Hmm hmmss Hmmss [a] b] N NNNN y",
    ];
    const DAYS: [&str; 13] = [
        "2026-03-09T14:05:07.089",
        "2024-02-29T00:00:00",
        "2021-01-01T12:30:45.5",
        "2020-12-31T23:59:59.999",
        "2027-01-03T01:02:03",
        "2026-11-11T11:11:11",
        "2022-05-22T22:22:22",
        "2023-07-13T13:13:13",
        "2016-01-03",
        "2015-12-28",
        "2026-08-02T09:00",
        "1999-04-23 05:06",
        "2026-10-25T02:30:00",
    ];
    let template = |day| {
        let format = |format: &str| {
            format!("<% moment('{day}').format('{}') %>|", format.replace('\\', "\\\\"))
        };
        case(FORMATS.iter().map(|it| format(it)).collect::<String>())
    };
    compare(&DAYS.map(template));
}

#[test]
fn dates_that_are_parsed() {
    const PARSED: [(&str, &str); 40] = [
        ("2026-03-09", "YYYY-MM-DD"),
        ("20260309", "YYYYMMDD"),
        ("09.03.2026", "DD.MM.YYYY"),
        ("9/3/26", "D/M/YY"),
        ("March 9, 2026", "MMMM D, YYYY"),
        ("9th Mar 2026", "Do MMM YYYY"),
        ("2026-W11-1", "GGGG-[W]WW-E"),
        ("2026-11", "GGGG-WW"),
        ("2026 068", "YYYY DDDD"),
        ("14:05", "HH:mm"),
        ("2:05 PM", "h:mm A"),
        ("12:00 am", "hh:mm a"),
        ("2026-03-09 14:05:07.089", "YYYY-MM-DD HH:mm:ss.SSS"),
        ("2026-03", "YYYY-MM"),
        ("2026", "YYYY"),
        ("15", "D"),
        ("Monday, March 9, 2026", "dddd, MMMM D, YYYY"),
        ("Tuesday, March 9, 2026", "dddd, MMMM D, YYYY"),
        ("2026-02-31", "YYYY-MM-DD"),
        ("nonsense", "YYYY-MM-DD"),
        ("", "YYYY-MM-DD"),
        ("Daily 2026-03-09 note", "YYYY-MM-DD"),
        ("1773061507", "X"),
        ("1773061507089", "x"),
        ("2026-03-09T14:05:07+05:30", "YYYY-MM-DDTHH:mm:ssZ"),
        ("13", "MM"),
        ("68 69", "YY"),
        ("1405", "Hmm"),
        ("2026-03-09", ""),
        ("2026-03-09T14:05", ""),
        ("2026-03-09T14:05:07Z", ""),
        ("20260309T1405", ""),
        ("2026-068", ""),
        ("2026-W11-1", ""),
        ("2026-03-09 25:00", ""),
        ("24:00", "HH:mm"),
        ("2026-W11", ""),
        ("Q2 2026", "[Q]Q YYYY"),
        ("2026-3-9", "YYYY-MM-DD"),
        ("5 pm", "h a"),
    ];
    let template = |(text, format): (&str, &str)| {
        let format = if format.is_empty() { String::new() } else { format!(", '{format}'") };
        case(format!("<% moment('{text}'{format}).format('YYYY-MM-DDTHH:mm:ss.SSSZ') %>"))
    };
    compare(&PARSED.map(template));
}

#[test]
fn arithmetic_with_dates() {
    let templates = [
        "<% moment('2024-01-31').add(1, 'month').format() %> <% moment('2024-03-31').subtract(1, 'M').format() %> <% moment('2024-02-29').add(1, 'y').format() %>",
        "<% moment('2026-03-28T02:30').add(1, 'day').format() %> <% moment('2026-03-28T12:00').add(24, 'hours').format() %> <% moment('2026-10-24T12:00').add(1, 'd').format() %>",
        "<% moment('2026-03-09').add({ days: 2, months: 1 }).format() %> <% moment('2026-03-09').add(1.5, 'days').format() %> <% moment('2026-03-09').add('2', 'weeks').format() %>",
        "<% ['year', 'quarter', 'month', 'week', 'isoWeek', 'day', 'hour', 'minute', 'second'].map(u => moment('2026-08-16T13:14:15.678').startOf(u).format('YYYY-MM-DDTHH:mm:ss.SSS')).join('\\n') %>",
        "<% ['year', 'quarter', 'month', 'week', 'isoWeek', 'day', 'hour', 'minute', 'second'].map(u => moment('2026-08-16T13:14:15.678').endOf(u).format('YYYY-MM-DDTHH:mm:ss.SSS')).join('\\n') %>",
        "<% ['years', 'quarters', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'].map(u => moment('2026-03-09T10:00').diff(moment('2024-01-31T22:30'), u)).join() %>",
        "<% ['years', 'months', 'weeks', 'days'].map(u => moment('2024-01-31').diff('2026-03-29', u, true).toFixed(6)).join() %> <% moment('2026-03-09').diff('2026-03-08') %>",
        "<% moment('2026-03-09').isBefore('2026-03-10') %> <% moment('2026-03-09T10:00').isSame('2026-03-09', 'day') %> <% moment('2026-03-09').isAfter(moment('2026-03-08'), 'month') %> <% moment('2026-03-09').isSameOrBefore('2026-03-09') %>",
        "<% ['year', 'quarter', 'month', 'date', 'day', 'weekday', 'isoWeekday', 'dayOfYear', 'week', 'isoWeek', 'weekYear', 'isoWeekYear', 'hour', 'minute', 'second', 'millisecond'].length %><%* const m = moment('2026-08-16T13:14:15.678') %> <% m.year() %> <% m.quarter() %> <% m.month() %> <% m.date() %> <% m.day() %> <% m.weekday() %> <% m.isoWeekday() %> <% m.dayOfYear() %> <% m.week() %> <% m.isoWeek() %> <% m.weekYear() %> <% m.isoWeekYear() %> <% m.hour() %> <% m.minutes() %> <% m.second() %> <% m.millisecond() %>",
        "<% moment('2026-08-16').isoWeekday(1).format('L') %> <% moment('2026-08-16').day(3).format('L') %> <% moment('2026-01-31').month(1).format('L') %> <% moment('2024-02-29').year(2025).format('L') %> <% moment('2026-08-16').date(31).format('L') %> <% moment('2026-08-16').isoWeek(1).format('L') %> <% moment('2026-08-16').hour(5).minute(6).format('LT') %>",
        "<%* const m = moment('2026-08-16'); m.add(1, 'day') %><% m.format('L') %> <% m.clone().add(1, 'day').format('L') %> <% m.format('L') %> <% m.daysInMonth() %> <% m.valueOf() %> <% m.unix() %> <% m.toISOString() %> <% JSON.stringify({ m }) %>",
        "<% moment('0999-06-01').format('Y YY YYYY YYYYY y gggg') %>",
        "<% moment('bad', 'YYYY').isValid() %> <% moment('bad', 'YYYY').format() %> <% moment('2026-03-09') - moment('2026-03-08') %> <% moment('2026-03-09') < moment('2026-03-10') %> <% moment(0).format() %>",
    ];
    compare(&templates.map(case));
}

#[test]
fn dates_of_parts() {
    const PARTS: [&str; 33] = [
        "[2024, 3, 27]",
        "[2024]",
        "[]",
        "[2024, 12]",
        "[2024, 1, 30]",
        "[2024, -1]",
        "[2024, 3, 0]",
        "[2011, 0, 1, 24]",
        "[2011, 0, 1, 24, 1]",
        "[2011, 0, 1, 0, 60]",
        "['2024', '3']",
        "[2024, 'x']",
        "[null, 3]",
        "[2024.9, 3.7]",
        "[2024, 3, 27, 13, 5, 6, 7, 8]",
        "[[2024], 3]",
        "[2026, 2, 29, 2, 30]",
        "{ year: 2024, month: 3 }",
        "{}",
        "{ other: 1 }",
        "{ hour: 15 }",
        "{ month: 3 }",
        "{ day: 5 }",
        "{ day: 5, date: 7 }",
        "{ day: undefined, date: 7 }",
        "{ year: '2024', Months: '5', D: 2 }",
        "{ year: null }",
        "{ year: 2024, month: '' }",
        "{ year: 2024, month: false }",
        "{ hour: 24 }",
        "{ year: 2024, month: 12 }",
        "{ y: 2021, year: 2020, ms: 4 }",
        "{ year: NaN }",
    ];
    let template =
        |parts| case(format!("<% moment({parts}).format('YYYY-MM-DDTHH:mm:ss.SSSZ') %>"));
    compare(&PARTS.map(template));
    // The offset of so early a year is that of the sun, in some copies of the time zones.
    compare(&[case("<% moment([24, 1, 1]).format('YYYY-MM-DDTHH:mm:ss.SSS') %>".to_owned())]);
}
