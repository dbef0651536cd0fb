//! WordPress's own parser finds the same blocks.
//!
//! `tests/install` in this package's folder installs a WordPress, whose theme and patterns are the texts.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolwrit_tests::requirement::{Need, met};
use toolwrit_wordpress::blocks::{Block, Document, Piece};

const INSTALL: &str = "server/apis/wordpress/tests/install";

/// Reads a JSON list of texts, and prints what WordPress's parser finds in each.
const PARSE: &str = r#"
require $argv[1] . '/class-wp-block-parser.php';
foreach (['block', 'frame'] as $part) {
    $file = $argv[1] . "/class-wp-block-parser-$part.php";
    if (is_file($file)) { require_once $file; }
}
$texts = json_decode(stream_get_contents(STDIN));
$parsed = array_map(fn($text) => (new WP_Block_Parser())->parse($text), $texts);
echo json_encode($parsed, JSON_THROW_ON_ERROR, 100000);
"#;

/// The folder of the installed WordPress.
fn site() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/site/wordpress")
}

/// What WordPress finds in texts; `None` if it is not installed.
fn theirs(texts: &[String]) -> Option<Vec<Value>> {
    let includes = site().join("wp-includes");
    let parser = includes.join("class-wp-block-parser.php");
    if !met(&[Need::Program(Path::new("php"), (8, 0)), Need::File(&parser)], INSTALL) {
        return None;
    }
    let mut command = Command::new("php");
    command.args(["-r", PARSE, "--"]).arg(&includes);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let input = json!(texts).to_string();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// The blocks of a text as WordPress writes them: text between blocks is a block without a name.
fn ours(text: &str) -> Value {
    let document = Document::parse(text);
    let (mut found, mut at) = (Vec::new(), 0);
    let freeform = |html: &str| {
        json!({
            "blockName": null, "attrs": [], "innerBlocks": [],
            "innerHTML": html, "innerContent": [html],
        })
    };
    for block in document.blocks().filter(|block| !block.is_freeform()) {
        let span = block.span();
        if at < span.start {
            found.push(freeform(&text[at..span.start]));
        }
        found.push(our_block(block));
        at = span.end;
    }
    if at < text.len() {
        found.push(freeform(&text[at..]));
    }
    found.into()
}

fn our_block(block: Block<'_>) -> Value {
    let (mut html, mut content) = (String::new(), Vec::new());
    for piece in block.pieces() {
        match piece {
            Piece::Html(text) => {
                html += text;
                content.push(json!(text));
            }
            Piece::Block(_) => content.push(Value::Null),
        }
    }
    json!({
        "blockName": block.name(),
        "attrs": block.attributes().map(|attributes| php(Value::Object(attributes))),
        "innerBlocks": block.children().map(our_block).collect::<Vec<_>>(),
        "innerHTML": html,
        "innerContent": content,
    })
}

/// A value as PHP has it: an empty object is an empty array.
fn php(value: Value) -> Value {
    match value {
        Value::Object(members) if members.is_empty() => json!([]),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, php(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(php).collect(),
        other => other,
    }
}

/// The texts of a theme's templates and patterns, and the markup in the files of WordPress.
fn texts_of(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts_of(&path, texts);
        } else if let Ok(text) = fs::read_to_string(&path)
            && text.contains("<!-- wp:")
        {
            texts.push(text);
        }
    }
}

#[test]
fn wordpress_finds_the_same_blocks() {
    let nested =
        "<!-- wp:a {\"b\":{},\"c\":\"}\",\"d\":[1,2.5,null]} -->x<!-- wp:b/c /-->y<!-- /wp:a -->";
    let mut texts: Vec<String> = [
        "",
        " \n",
        "text",
        nested,
        "a<!-- wp:a -->b<!-- /wp:other -->c",
        "<!-- wp:a --> <!-- wp:b -->0<!-- /wp:b --><!-- /wp:a -->\n\n<!-- wp:c /-->",
        "<!-- wp:a {b} --><!-- /wp:a -->",
        "<!-- wp:a {\"b\":1}-->",
        "<!-- wp:a {} /--><!-- wp:a {}} /-->",
        "<!-- /wp:a /-->",
        "x<!-- /wp:a -->y<!-- wp:b /-->",
        "<!-- wp:a -->to the end",
        "<!--\t\nwp:a\u{b}{\"b\":\"-->\"}\u{c}/-->",
        "<!-- wp:a-b_9/c {\"é\":\"\\u002d\"} /-->é",
        "<!-- wp:A /--><!-- wp:1 /--><!-- wp:a/b/c /-->",
    ]
    .map(str::to_owned)
    .into();
    if site().is_dir() {
        texts_of(&site().join("wp-content/themes"), &mut texts);
        texts_of(&site().join("wp-includes"), &mut texts);
        assert!(texts.len() > 80, "only {} texts", texts.len());
    }
    let Some(theirs) = theirs(&texts) else { return };
    for (text, theirs) in texts.iter().zip(theirs) {
        // WordPress repeats the content of nested blocks without an end, and they cannot be edited.
        if outer_of_unclosed(text) {
            continue;
        }
        assert_eq!(ours(text), theirs, "{text}");
    }
}

/// Whether a block without an end is in another one.
fn outer_of_unclosed(text: &str) -> bool {
    let document = Document::parse(text);
    let is_open = |block: Block<'_>| block.span().end == text.len();
    document.problem().is_some()
        && document.blocks().any(|block| is_open(block) && block.children().any(is_open))
}
