//! What methods and functions of the language do with their arguments, as JavaScript does.

use super::{failure, text};

#[test]
fn positions_depths_and_bases_count() {
    let cases = [
        ("'a-b-c'.indexOf('-', 2)", "3"),
        ("'😀-b'.indexOf('-', 1)", "2"),
        ("'abc'.indexOf('c', 9)", "-1"),
        ("'a-b-c'.indexOf('-', -5)", "1"),
        ("'a-b-c'.lastIndexOf('-', 2)", "1"),
        ("'aaa'.lastIndexOf('aa', 0)", "0"),
        ("'abc'.includes('a', 1)", "false"),
        ("'abc'.startsWith('b', 1)", "true"),
        ("'abc'.endsWith('b', 2)", "true"),
        ("'😀'.codePointAt(0)", "128512"),
        ("'😀'.codePointAt(1)", "56832"),
        ("'😀'.charCodeAt(0)", "55357"),
        ("'x'.codePointAt(1)", "undefined"),
        ("'x'.charCodeAt(-1)", "NaN"),
        ("'b'.localeCompare('a', 'en')", "1"),
        ("[1, 2, 3].fill(0, 1)", "1,0,0"),
        ("[1, 2, 3].fill(0, -2, -1)", "1,0,3"),
        ("[1, 2, 1].indexOf(1, 1)", "2"),
        ("[1, 2, 1].indexOf(1, -2)", "2"),
        ("[1, 2, 1].lastIndexOf(1, 1)", "0"),
        ("[1, 2, 1].lastIndexOf(1, -2)", "0"),
        ("[1, 2, 1].lastIndexOf(1, -4)", "-1"),
        ("[1, 2].includes(1, 1)", "false"),
        ("[1, 2, 3, 4].slice(-3, -1)", "2,3"),
        ("[1, 2, 3].splice(-2, 1)", "2"),
        ("[1, [2, [3, [4]]]].flat().length", "3"),
        ("[1, [2, [3, [4]]]].flat(2).length", "4"),
        ("JSON.stringify([1, [2, [3, [4]]]].flat(Infinity))", "[1,2,3,4]"),
        ("[[1]].flat(0)[0].length", "1"),
        ("Array(3).length", "3"),
        ("Array(3).fill('x')", "x,x,x"),
        ("Array(3, 4)", "3,4"),
        ("Array('3')", "3"),
        ("parseInt('0x1F')", "31"),
        ("parseInt('-0x1f', 16)", "-31"),
        ("parseInt('0x1F', 10)", "0"),
        ("parseInt('11', 2)", "3"),
        ("parseInt('11', 1)", "NaN"),
        ("JSON.stringify({ a: [] }, null, 4)", "{\n    \"a\": []\n}"),
        ("JSON.stringify([1], null, '-')", "[\n-1\n]"),
        ("moment('2026-03-09').locale('en').format('MMMM')", "March"),
    ];
    for (code, expected) in cases {
        assert_eq!(text(&format!("<% {code} %>")).unwrap(), expected, "{code}");
    }
}

/// The results are those of moment.js 2.30; `now()` is the reference of the tests.
#[test]
fn a_date_is_made_of_its_parts() {
    let cases = [
        ("[2024, 3, 27]", "2024-04-27T00:00:00.000"),
        ("{ year: 2024, month: 3 }", "2024-04-01T00:00:00.000"),
        ("[2024]", "2024-01-01T00:00:00.000"),
        ("['2024', '3']", "2024-04-01T00:00:00.000"),
        ("[2024.9, 3.7]", "2024-04-01T00:00:00.000"),
        ("[24, 1, 1]", "0024-02-01T00:00:00.000"),
        ("[2024, 3, 27, 13, 5, 6, 7, 8]", "2024-04-27T13:05:06.007"),
        ("[2011, 0, 1, 24]", "2011-01-02T00:00:00.000"),
        ("{ y: '2024', months: '5', D: 4, h: 1, m: 2, s: 3, ms: 4 }", "2024-06-04T01:02:03.004"),
        ("{ year: 2024, hour: 3 }", "2024-01-01T03:00:00.000"),
        ("{ year: 2020, y: 2021 }", "2021-01-01T00:00:00.000"),
        ("{ year: 2024, month: '' }", "2024-01-01T00:00:00.000"),
        ("{ year: 2024, day: 5, date: 7 }", "2024-01-05T00:00:00.000"),
        ("{ year: 2024, day: undefined, date: 7 }", "2024-01-07T00:00:00.000"),
    ];
    for (parts, expected) in cases {
        let code = format!("<% moment({parts}).format('YYYY-MM-DDTHH:mm:ss.SSS') %>");
        assert_eq!(text(&code).unwrap(), expected, "{parts}");
    }
    // The first parts that are missing are those of today.
    for (parts, same) in [
        ("[]", "moment()"),
        ("{}", "moment()"),
        ("{ other: 1 }", "moment().startOf('day')"),
        ("{ hour: 15 }", "moment().startOf('day').hour(15)"),
        ("{ month: 3 }", "moment().startOf('year').month(3)"),
        ("{ date: 5 }", "moment().startOf('month').date(5)"),
        ("{ year: null }", "moment().startOf('day')"),
    ] {
        let code = format!("<% moment({parts}).valueOf() - {same}.valueOf() %>");
        assert_eq!(text(&code).unwrap(), "0", "{parts}");
    }
    for parts in [
        "[2024, 12]",
        "[2024, 1, 30]",
        "[2024, -1]",
        "[2024, 3, 0]",
        "[2011, 0, 1, 24, 1]",
        "[2011, 0, 1, 0, 60]",
        "[2024, 'x']",
        "[null, 3]",
        "{ year: 2024, month: 12 }",
        "{ hours: 25 }",
        "{ year: NaN }",
        "{ year: true }",
        "[12000, 99999]",
    ] {
        let code = format!("<% moment({parts}).format() %>");
        assert_eq!(text(&code).unwrap(), "Invalid date", "{parts}");
    }
    let texts = "<% moment([2024, 2, 5]).diff([2024, 2, 1], 'days') %> <% moment(20240427, 'YYYYMMDD').format('L') %>";
    assert_eq!(text(texts).unwrap(), "4 04/27/2024");
}

#[test]
fn arguments_that_would_do_nothing_are_refused() {
    for (code, what) in [
        (
            "'a'.localeCompare('b', 'en', { numeric: true })",
            "another argument of `localeCompare()`",
        ),
        ("'a'.toUpperCase('tr')", "another argument of `toUpperCase()`"),
        ("[1].map(x => x, {})", "another argument of `map()`"),
        ("JSON.stringify({ a: 1 }, ['a'])", "the replacer of `JSON.stringify()`"),
        ("moment().locale('de')", "the locale `de`"),
        ("moment().valueOf(1)", "another argument of `valueOf()`"),
    ] {
        let expected = format!("Templates/T.md:1:4: {what} is not supported");
        assert_eq!(failure(&format!("<% {code} %>")), expected);
    }
    let length = failure("<% Array(-1) %>");
    assert!(length.ends_with("the length of a list is a whole number"), "{length}");
}
