//! Values of expressions, by the help pages of Obsidian and, where these are silent, by JavaScript.

use serde_json::{Value, json};
use toolwrit_dataview::bases::View;

use super::sandbox::Sandbox;

const NOTE: &str = "---
price: 2.5
count: 4
done: false
title: Hello world
due: 2024-03-10
at: 2024-03-05T08:30
names: [Ann, bob, Ann]
nested: [1, [2, [3]]]
author: \"[[Ann Lee]]\"
authors: [\"[[Ann Lee]]\", \"[[Nobody]]\"]
sub: {a: 1, \"b c\": two}
blank: \"\"
nothing:
---
Text #Topic/deep with [[Ann Lee|Ann]] and ![[pic.png]].
";

/// The view with the value of an expression for `Work/Note.md`.
fn evaluate(expression: &str) -> View {
    let base = json!({
        "filters": "file.path == \"Work/Note.md\"",
        "formulas": {"x": expression},
        "views": [{"type": "table", "order": ["formula.x"]}],
    });
    let files = [
        ("Work/Note.md", NOTE),
        ("People/Ann Lee.md", "---\nage: 40\n---\n[[Note]]\n"),
        ("pic.png", "picture"),
        ("Work/B.base", &base.to_string()),
    ];
    Sandbox::with_files(&files).view("Work/B.base", None)
}

fn value(expression: &str) -> Value {
    let view = evaluate(expression);
    assert_eq!(view.failed, [], "{expression}");
    view.rows[0].values[0].to_json()
}

fn check(cases: &[(&str, Value)]) {
    for (expression, expected) in cases {
        assert_eq!(value(expression), *expected, "{expression}");
    }
}

#[test]
fn operators_have_the_precedence_of_javascript() {
    check(&[
        ("1 + 2 * 3", json!(7)),
        ("(1 + 2) * 3", json!(9)),
        ("7 % 4 - 10 / 4", json!(0.5)),
        ("-2 * -3", json!(6)),
        ("1 + 1 == 2 && 2 > 1", json!(true)),
        ("true || false && false", json!(true)),
        ("!true || true", json!(true)),
        ("!(true || true)", json!(false)),
        ("!!count", json!(true)),
        ("3 >= 3 == 2 <= 3", json!(true)),
        ("\"a\" + 1 + 2", json!("a12")),
        ("'it\\'s' + \"\\n\"", json!("it's\n")),
        ("price * count", json!(10)),
        ("count > 3 && title.contains(\"world\")", json!(true)),
    ]);
}

#[test]
fn values_of_different_types_are_not_equal_and_have_no_order() {
    check(&[
        ("1 == \"1\"", json!(false)),
        ("missing == null", json!(true)),
        ("missing > 2", json!(false)),
        ("missing < 2", json!(false)),
        ("missing + 1", json!(null)),
        ("title != \"x\"", json!(true)),
        ("title > 3", json!(false)),
        ("[1, 2] == [1, 2]", json!(true)),
        ("[1, 2] == [1, 3]", json!(false)),
        ("{\"a\": 1} == {\"a\": 1}", json!(true)),
    ]);
}

#[test]
fn properties_are_read_with_and_without_prefix() {
    check(&[
        ("note.price", json!(2.5)),
        ("note[\"count\"]", json!(4)),
        ("sub.a", json!(1)),
        ("sub[\"b c\"]", json!("two")),
        ("names[1]", json!("bob")),
        ("names[9]", json!(null)),
        ("names.length + title.length", json!(14)),
        ("missing.deep.er", json!(null)),
        ("this.file.folder", json!("Work")),
        ("this.file.name", json!("B.base")),
    ]);
}

#[test]
fn files_have_properties_and_methods() {
    check(&[
        ("file.name", json!("Note.md")),
        ("file.basename", json!("Note")),
        ("file.ext", json!("md")),
        ("file.path", json!("Work/Note.md")),
        ("file.folder", json!("Work")),
        ("file.size", json!(NOTE.len())),
        ("file.tags", json!(["#Topic/deep"])),
        ("file.mtime == date(\"2024-03-03 12:00:00\")", json!(true)),
        ("file.embeds.length", json!(1)),
        (
            "file.links.map(value.asFile().basename)",
            json!(["Ann Lee", "Ann Lee", null, "Ann Lee", "pic"]),
        ),
        ("file.backlinks.contains(link(\"Ann Lee\"))", json!(true)),
        ("file.properties.price", json!(2.5)),
        ("file.properties.keys().length", json!(13)),
        ("file.hasTag(\"topic\")", json!(true)),
        ("file.hasTag(\"x\", \"#Topic/deep\")", json!(true)),
        ("file.hasTag(\"deep\")", json!(false)),
        ("file.hasTag(\"top\")", json!(false)),
        ("file.inFolder(\"Work\")", json!(true)),
        ("file.inFolder(\"Wor\")", json!(false)),
        ("file.inFolder(\"/\")", json!(true)),
        ("file.hasLink(\"Ann Lee\")", json!(true)),
        ("file.hasLink(file(\"People/Ann Lee.md\"))", json!(true)),
        ("file.hasLink(this.file)", json!(false)),
        ("file.hasProperty(\"nothing\")", json!(true)),
        ("file.hasProperty(\"none\")", json!(false)),
        ("file.asLink(\"shown\")", json!("[[Work/Note.md|shown]]")),
        ("file", json!("[[Work/Note.md|Note]]")),
        ("file(\"pic.png\").size", json!(7)),
        ("file(\"none\")", json!(null)),
    ]);
}

#[test]
fn links_are_equal_to_the_files_that_they_name() {
    check(&[
        ("author", json!("[[People/Ann Lee.md|Ann Lee]]")),
        ("author == link(\"Ann Lee\", \"x\")", json!(true)),
        ("author == file(\"People/Ann Lee\")", json!(true)),
        ("author == file", json!(false)),
        ("authors.contains(author)", json!(true)),
        ("authors.contains(link(\"[[Nobody]]\"))", json!(true)),
        ("authors.contains(this)", json!(false)),
        ("author.asFile().properties.age", json!(40)),
        ("authors[1].asFile()", json!(null)),
        ("author.linksTo(file)", json!(true)),
        ("author.linksTo(this.file)", json!(false)),
        ("link(\"https://a.example\", \"A\")", json!("[A](https://a.example)")),
    ]);
}

#[test]
fn dates_are_moved_by_durations() {
    check(&[
        ("now()", json!("2024-03-06T10:20:30+00:00")),
        ("today()", json!("2024-03-06")),
        ("date(\"2024-12-01\") + \"1M\" + \"4h\" + \"3m\"", json!("2025-01-01T04:03:00+00:00")),
        ("(now() + \"1d\") - now()", json!("a day")),
        ("now() - \"1 week\" < file.mtime", json!(true)),
        ("file.mtime > now() - '2 days'", json!(false)),
        ("today() + duration(\"1d\") * 2", json!("2024-03-08")),
        ("today() - \"1y 1d\"", json!("2023-03-05")),
        ("due", json!("2024-03-10")),
        ("due > today()", json!(true)),
        ("due == \"2024-03-10\"", json!(true)),
        ("at.hour * 100 + at.minute", json!(830)),
        ("due.year + due.month + due.day", json!(2037)),
        ("at.date()", json!("2024-03-05")),
        ("at.time()", json!("08:30:00")),
        ("at.format(\"DD/MM/YYYY HH:mm\")", json!("05/03/2024 08:30")),
        ("due.toString()", json!("2024-03-10")),
        ("file.mtime.relative()", json!("3 days ago")),
        ("(now() + \"1h\").relative()", json!("in an hour")),
        ("number(date(\"1970-01-02\"))", json!(86_400_000)),
        ("due.isEmpty()", json!(false)),
    ]);
}

#[test]
fn texts_have_methods() {
    check(&[
        ("\"hello\".contains(\"ell\")", json!(true)),
        ("\"hello\".containsAll(\"h\", \"e\")", json!(true)),
        ("\"hello\".containsAll(\"h\", \"x\")", json!(false)),
        ("\"hello\".containsAny(\"x\", \"e\")", json!(true)),
        ("\"hello\".endsWith(\"lo\")", json!(true)),
        ("\"hello\".startsWith(\"he\")", json!(true)),
        ("\"AbC\".lower()", json!("abc")),
        ("\"hello world\".title()", json!("Hello World")),
        ("\"  hi  \".trim()", json!("hi")),
        ("\"hello\".reverse()", json!("olleh")),
        ("\"hello\".slice(1, 4)", json!("ell")),
        ("\"hello\".slice(-2)", json!("lo")),
        ("\"123\".repeat(2)", json!("123123")),
        ("\"a:b:c\".replace(\":\", \"-\")", json!("a-b-c")),
        ("\"a:b:c\".replace(/:/, \"-\")", json!("a-b:c")),
        ("\"a:b:c\".replace(/:/g, \"-\")", json!("a-b-c")),
        ("\"John Smith\".replace(/(\\w+) (\\w+)/, \"$2, $1\")", json!("Smith, John")),
        ("\"a,b,c,d\".split(\",\", 3)", json!(["a", "b", "c"])),
        ("\"a1b22c\".split(/[0-9]+/)", json!(["a", "b", "c"])),
        ("/ABC/i.matches(\"abcde\")", json!(true)),
        ("/^b/.matches(\"abcde\")", json!(false)),
        ("\"\".isEmpty()", json!(true)),
        ("blank.isEmpty()", json!(true)),
        ("nothing.isEmpty() && missing.isEmpty()", json!(true)),
        ("missing.contains(\"x\")", json!(false)),
        ("escapeHTML(\"<a href='b'>&\")", json!("&lt;a href=&#39;b&#39;&gt;&amp;")),
    ]);
}

#[test]
fn numbers_have_methods() {
    check(&[
        ("(-5).abs()", json!(5)),
        ("(2.1).ceil() + 2.9.floor()", json!(5)),
        ("(2.5).round()", json!(3)),
        ("(-2.5).round()", json!(-2)),
        ("(2.3333).round(2)", json!(2.33)),
        ("(3.14159).toFixed(2)", json!("3.14")),
        ("(2.5).toFixed(0) + (1.45).toFixed(1) + (-0.5).toFixed(0)", json!("31.4-1")),
        ("price.toFixed(2) + \" dollars\"", json!("2.50 dollars")),
        ("missing.toFixed(2)", json!(null)),
        ("1.isTruthy()", json!(true)),
        ("123.toString()", json!("123")),
        ("number(\"3.4\") + number(true)", json!(4.4)),
        ("max(1, 7, 3) - min(4, 2)", json!(5)),
    ]);
}

#[test]
fn lists_have_methods() {
    check(&[
        ("[1, 2, 3].contains(2)", json!(true)),
        ("[1, 2, 3].containsAll(2, 3)", json!(true)),
        ("[1, 2, 3].containsAny(4, 5)", json!(false)),
        ("names.contains(\"bob\")", json!(true)),
        ("[1, 2, 3, 4].filter(value > 2)", json!([3, 4])),
        ("[5, 6, 7].filter(index > 0)", json!([6, 7])),
        ("[1, 2].map(value + 1)", json!([2, 3])),
        ("[1, 2, 3].reduce(acc + value, 0)", json!(6)),
        ("[3, 9, 4].reduce(if(acc == null || value > acc, value, acc), null)", json!(9)),
        ("[[1, 2], [3]].map(value.map(value * 10).length)", json!([2, 1])),
        ("nested.flat()", json!([1, 2, 3])),
        ("[1, 2, 3].join(\",\")", json!("1,2,3")),
        ("[1, 2, 3].reverse()", json!([3, 2, 1])),
        ("[1, 2, 3, 4].slice(1, 3)", json!([2, 3])),
        ("[3, 1, 2].sort()", json!([1, 2, 3])),
        ("names.unique()", json!(["Ann", "bob"])),
        ("[].isEmpty()", json!(true)),
        ("list(\"v\") == list([\"v\"])", json!(true)),
        ("sub.values()", json!([1, "two"])),
        ("{}.isEmpty()", json!(true)),
    ]);
}

#[test]
fn types_and_conditions() {
    check(&[
        ("if(done, \"yes\")", json!(null)),
        ("if(price, \"yes\", \"no\")", json!("yes")),
        ("if(true, 1, missing.x.y)", json!(1)),
        ("\"example\".isType(\"string\") && true.isType(\"boolean\")", json!(true)),
        ("file.isType(\"file\") && author.isType(\"link\") && names.isType(\"list\")", json!(true)),
        ("due.isType(\"date\") && 1.isType(\"number\") && missing.isType(\"null\")", json!(true)),
        ("icon(\"star\") + html(\"<b>\")", json!("star<b>")),
        ("random() >= 0 && random() < 1", json!(true)),
    ]);
}

#[test]
fn what_does_not_fit_is_reported_with_its_reason() {
    for (expression, reason) in [
        ("title * 2", "`*` does not apply to string and number"),
        ("title.round()", "`round` does not apply to string"),
        ("today() + \"soon\"", "`soon` is not a duration such as `1d` or `2 weeks`"),
        ("date(\"soon\")", "`soon` is not a date such as `2025-12-31` or `2025-12-31 09:00:00`"),
        ("number(\"x\")", "`x` is not a number"),
        ("-title", "`-` does not apply to string"),
        ("/a/.lower()", "`lower` does not apply to regexp"),
    ] {
        let view = evaluate(expression);
        assert_eq!(view.rows[0].values[0].to_json(), Value::Null, "{expression}");
        let [failed] = &*view.failed else { panic!("{expression}: {:?}", view.failed) };
        assert_eq!((&*failed.place, failed.files, &*failed.reason), ("formula.x", 1, reason));
    }
}

#[test]
fn syntax_errors_have_a_place_and_what_was_expected() {
    for (expression, error) in [
        ("1 +", "column 4: expected a value, found the end of the expression"),
        ("(1", "column 3: expected an operator or `)`, found the end of the expression"),
        ("a = 1", "column 3: expected `==` to compare, found `=`"),
        ("a === 1", "column 5: expected a value, found `=`"),
        ("a b", "column 3: expected an operator, found `b`"),
        ("'a", "column 1: the text that starts here has no closing `'`"),
        ("/a", "column 1: the regular expression that starts here has no closing `/`"),
        ("/a/q", "column 4: expected the flags g, i, m, s or u, found `q`"),
        ("a.contain(\"x\")", "column 3: there is no function `contain`; did you mean `contains`?"),
        ("today2()", "column 1: there is no function `today2`; did you mean `today`?"),
        ("zzz(1)", "column 1: there is no function `zzz`"),
        ("file.nam", "column 6: there is no property of files `nam`; did you mean `name`?"),
        ("if(1)", "column 1: `if` takes 2 to 3 arguments, found 1"),
        ("a.contains()", "column 3: `contains` takes 1 arguments, found 0"),
        (
            "formula",
            "column 1: expected the name of a formula after `formula`, such as `formula.price`",
        ),
        ("formula.y", "column 1: there is no formula `y`"),
    ] {
        let view = evaluate(expression);
        let [failed] = &*view.failed else { panic!("{expression}: {:?}", view.failed) };
        assert_eq!(failed.reason, format!("formulas.x, {error}"), "{expression}");
        assert_eq!((&*failed.place, failed.files), ("formula.x", 1));
    }
}
