//! HTML that is made to be expensive.

use std::fmt::Write as _;
use std::time::Duration;

use toolwrit_web::{Form, WebError};

use crate::server::Server;
use crate::{fetch, never, web, web_with};

fn numbered(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut all, number| {
        write!(all, "{}", text(number)).unwrap();
        all
    })
}

#[test]
fn too_much_structure_is_refused_and_its_source_served() {
    for (what, html) in [
        ("deep elements", "<div>".repeat(200_000)),
        ("deep elements that are closed", "<i>".repeat(600) + &"</i>".repeat(600)),
        ("deep quotes in a table", format!("<table>{}", "<blockquote>".repeat(100_000))),
        ("unclosed elements that each paragraph repeats", {
            numbered(50_000, |number| format!("<b x={number}>")) + &"<p>x".repeat(50_000)
        }),
        ("unclosed elements that end with their paragraph", {
            numbered(50_000, |number| format!("<p><b x={number}></p>"))
        }),
        ("many elements", "<p>x".repeat(200_000)),
    ] {
        let server = Server::html(&html);
        let url = server.url("/");
        assert_eq!(fetch(&url), Err(WebError::TooComplex), "{what}");
        let source = web().fetch(&url, Form::Source, &never).unwrap();
        assert_eq!(source.text, html, "{what}");
    }
}

#[test]
fn a_tag_that_takes_too_long_ends_with_the_time() {
    let html = format!("<p{}>", numbered(400_000, |number| format!(" a{number}")));
    let server = Server::html(&html);
    let web = web_with(Duration::from_secs(2));
    let error = web.fetch(&server.url("/"), Form::Markdown, &never).unwrap_err();
    assert!(matches!(error, WebError::Timeout { .. }), "{error:?}");
}

#[test]
fn what_a_large_page_has_is_converted() {
    let rows = numbered(3_000, |number| {
        format!(
            "<tr><td>{number}</td><td><a href='/{number}'>row, {number}</a></td><td><b>x</b></td></tr>"
        )
    });
    let server = Server::html(&format!("<h1>Rows</h1><table>{rows}</table>"));
    let page = fetch(&server.url("/")).unwrap();
    assert!(page.text.contains("row, 2999"), "{}", &page.text[..500]);
    let depth = 60;
    let nested = format!(
        "{}{}{}",
        "<ul><li><blockquote>".repeat(depth),
        "<p>deep</p>",
        "</blockquote></li></ul>".repeat(depth)
    );
    assert!(fetch(&Server::html(&nested).url("/")).unwrap().text.contains("deep"));
}
