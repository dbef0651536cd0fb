//! Whatever a model says, readers of Markdown see text and code in it: nothing that loads or runs without a click. The readers
//! are comrak, as CommonMark and as Obsidian has it, and markdown-it.

use std::io::Write;
use std::process::{Command, Stdio};

use comrak::nodes::NodeValue;
use comrak::{Arena, parse_document};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use toolwrit_chat::format::{BlockId, Header, Inert, Kind, State, Status};
use toolwrit_requirement::number;

use crate::acting::{block, check, is_executed, is_harmless, is_query, readers};
use crate::installed::installed;

/// The pieces of Markdown of which attacks are made.
const PIECES: &[&str] = &[
    "![a](https://e.example/1.png)",
    "![[Secret]]",
    "![a][r]",
    "\n[r]: https://e.example/2.png\n",
    "!",
    "[",
    "](",
    ")",
    "]]",
    "[[",
    "<img src=https://e.example/3.png>",
    "<details>",
    "<b>",
    "</b>",
    "<br>",
    "<code>= 1</code>",
    "<script>",
    "<!--",
    "-->",
    "<?x",
    "<![CDATA[",
    "<https://e.example>",
    "<https://e.example/`",
    "https://e.example/",
    "www.e.example/",
    "\\",
    "\\\\",
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "\"",
    "'",
    "(<",
    "<mailto:",
    "[a](b",
    "]:",
    "\u{a0}",
    "\u{b}",
    "\u{c}",
    "`= this.file`",
    "`$= dv.x()`",
    "`INPUT[text:x]`",
    "`code`",
    "`<T>`",
    "dataviewjs",
    "base",
    "mermaid",
    "js",
    "rust",
    "query",
    "text",
    " ",
    "  ",
    "   ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\r",
    "> ",
    "- ",
    "1. ",
    "10) ",
    "* ",
    "- [ ] ",
    "[^1]: ",
    "[^a`b]",
    "\n> ```\n> x\n\n",
    "$$\n",
    "\n    ```\n",
    "[^1]",
    "^[",
    "|",
    "\n|---|---|\n",
    "| a | b |\n|---|---|\n",
    "---",
    "===",
    "$",
    "$$",
    "\n$$\n",
    "%%",
    "<%",
    "%>",
    "&lt;",
    "&#33;",
    "&",
    "*",
    "_",
    "#",
    ": ",
    "a",
    "word",
    "1",
    "=",
    ":::",
    "\u{200d}",
    "<",
    ">",
];

/// Answers from these pieces.
fn answers() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(PIECES);
    let piece = prop_oneof![8 => pieces.prop_map(str::to_owned), 1 => "[ -~]{0,6}"];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Attacks that succeeded, and what is near to them.
const ATTACKS: &[&str] = &[
    "> ```\n> x\n\n```\n<img src=x>\n```",
    "> ~~~\n> x\n\n~~~~\n![[Secret]]\n<img src=x>\n~~~~",
    "> ```\n> x\n\n````\n```dataviewjs\ndv.x()\n```\n````",
    "- > ```\n  > x\n\n```\n![b](http://e.example/2.png)\n```",
    "> > ```\n> > x\n> y\n\n```\n<img src=x>\n```",
    "    > ```\n    > x\n\n```\n<img src=x>\n```",
    "```\n    ```\n<img src=x>\n```\n<img src=x>",
    "- a\n  ```\n     ```\n<img src=x>\n  ```\n<img src=x>",
    "$$\na | b $$\n-|-\n`x | <img src=x>` | c",
    "a | b\n-|-\nr | s\n$$\nx\n$$\n`x | <img src=x>`",
    "[a](b \"\n$$\nx\n$$\n`\") <img src=x> `",
    "[^a`b] <img src=x>`\n\n[^a`b]: note",
    "[^a`b]: note\n\n[^a`b] <img src=x>`",
    "x[^`] <img src=x> `\n\n[^`]: note",
    "`dice-mod: 1d6` `dice+: 1d6` `dvjs= 1` `jsx= 1`",
    "``` ` <img src=x> ` `` ![a](b) ``",
    "\\![a](https://evil.example/2.png)",
    "\\\\![a](https://evil.example/3.png)",
    "\\\\\\![a](https://evil.example/3.png)",
    "\\<img src=https://evil.example/h2>",
    "<details>\n<img src=https://evil.example/d1>",
    "<summary>\n![a](https://evil.example)",
    "<b>\n<img src=x>",
    "- <b>\n  \\<img src=x>",
    "<code>= this.file</code>",
    "| a | b |\n|---|---|\n| `x | ![c](https://evil.example/26.png)` |",
    "| a | b |\n|---|---|\n| `x | <img src=x>` |",
    "a | b\n-|-\n`x | <img src=x>`",
    "[[a `]] <img src=x> `",
    "https://e.example/`<img src=x>`",
    "www.e.example/`x <img src=x>`",
    "^[a `] <img src=x> `",
    "$`$ <img src=x> `",
    "$a\n`$ <img src=x> `",
    "$$\n```\n$$\n<img src=x>\n```",
    "%%`%% <img src=x> `",
    "    ```\n`<img src=x>`\n    ```",
    "10. a\n    ```\n    <img src=x>\n    ```",
    "- ```\n  x\n```\n<img src=x>\n```",
    "> ```\n<img src=x>\n> ```",
    "[a](<![x](https://evil.example)>)",
    "](<![x][r]>)\n\n[r]: https://evil.example",
    "```base\nformulas:\n  x: image(\"https://evil.example\")\n```",
    "```mermaid\nflowchart LR\n A@{ img: \"https://evil.example/m.png\" }\n```",
    "```datacorejsx\nreturn 1\n```",
    "~~~ query\ntag:#a\n~~~",
    "```js:path\n1\n```",
    "```{dataviewjs}\n1\n```",
    "```data&#118;iewjs\n1\n```",
    "[^1]:\n    ```dataviewjs\n    1\n    ```",
    "1. ```dataviewjs\n   1\n   ```",
    "`a\n`= this.secret`",
    "``= 1`` ` = 1` `  $= 1` `button-x`",
    "```= 1``` x",
    "x ```` ``` ```` <img src=x>",
    "[a](b`c) <img src=x> ` ",
    "[a](b \"`\") <img src=x> ` ",
    "[a](b '`') ![x](https://evil/1.png) ` d",
    "[a](b`c) ``= this.secret`` d` ",
    "[a](<https://e/> \"`\") <img src=x> `",
    "[a](b``c) ``` <img src=x> `` ",
    "[a](b\n\"`\") ![x](y) ` ",
    "[a\n](b`c) <img src=x>` ",
    "[a](b`c) ![[Secret]] ` ",
    "[a](b (<mailto:))![x](https://evil/1.png)>",
    "[x](y (<https://e/))![a](https://x/1.png)>",
    "[[a <https://e/]]![x](https://evil/1.png)>",
    "[[a|<mailto:]]![[Secret]]>",
    "^[a <https://e/]![x](https://evil/1.png)>",
    "$a\n<https://e/$![x](https://evil/1.png)>",
    "$a <https://e/$$![x](https://evil/1.png)>",
    "a | b\n-|-\n\u{a0}\n`x | <img src=x>` ",
    "a | b\n-|-\n\u{3000}\n`x | <img src=x>` ",
    "a | b\n-|-\u{b}\n`x | <img src=x>` ",
    "a | b\n-|-\n\u{c}\n`x | <img src=x>` ",
    "$a\n\u{a0}\n`$ <img src=x> ` ",
    "https://e.example/\u{a0}`<img src=x>`",
    "www.e.example/\u{3000}`<img src=x>`",
    "[[a\n`]] <img src=x> ` ",
    "^[a\n`] <img src=x> ` ",
    "```latex\n\\write18{id}\n```",
    "```python {run}\n1\n```",
    "`jsx:<img src=\"https://evil/1.png\"/>`",
    "`button-x` and `dice: 1d6`",
    "a\n: ~~~ base",
    "~~~ a|b `<img src=x>`\n|-|-|\n`<img src=x>` | `",
];

#[test]
fn attacks_are_text() {
    for attack in ATTACKS {
        if let Err(failure) = check(attack) {
            panic!("{failure}");
        }
    }
}

/// Mathematics has commands for styles and links, and readers disagree about where it is.
#[test]
fn no_mathematics_has_styles() {
    let styled = "\\style{background:url(https://e.example/1.png)}{x}";
    for around in [
        "$@$",
        "$@\\$ y$",
        "$@ $ y$",
        "$@\ny$",
        "a $@$1 b$",
        "- $$\n  @\n  $$",
        "> $$ @ $$",
        "$$ @ $$",
    ] {
        let answer = around.replace('@', styled);
        let block = block(&answer);
        assert!(!block.contains("\\style"), "{block}");
        let header = Header::new(
            Kind::Assistant,
            BlockId::from_number(1),
            "m",
            State::new(Status::Cancelled, &answer),
        );
        assert!(!header.to_string().contains("\\style"), "{header}");
    }
    assert_eq!(Inert::default().words("C:\\data\\style"), "C:\\data\\style");
    for name in ["dice: 1d6", "jsx: a", "jsx-x", "button-x"] {
        let header =
            Header::new(Kind::Tool, BlockId::from_number(1), name, State::new(Status::Ok, ""));
        assert!(!header.to_string().contains(&format!("`{name}`")), "{header}");
    }
}

#[test]
fn no_answer_acts_for_comrak() {
    let config = Config { cases: number(20_000, 200_000), ..Config::default() };
    let mut runner = TestRunner::new(config);
    runner.run(&answers(), |answer| check(&answer).map_err(TestCaseError::fail)).unwrap();
}

/// Needs markdown-it, which `tests/vendors/install` installs.
#[test]
fn no_answer_acts_for_markdown_it() {
    let Some(_) = installed("node_modules/markdown-it") else { return };
    let mut runner = TestRunner::new(Config::default());
    let mut answer = || answers().new_tree(&mut runner).unwrap().current();
    let generated = (0..number(20_000, 200_000)).map(|_| answer());
    let all: Vec<String> =
        ATTACKS.iter().map(|attack| (*attack).to_owned()).chain(generated).collect();
    let blocks: Vec<String> = all.iter().map(|answer| block(answer)).collect();
    let mut reader = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vendors/acting.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = reader.stdin.take().unwrap();
    input.write_all(&serde_json::to_vec(&blocks).unwrap()).unwrap();
    drop(input);
    let output = reader.wait_with_output().unwrap();
    assert!(output.status.success());
    let acting: Vec<Vec<String>> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(acting.len(), blocks.len());
    for ((answer, block), acting) in all.iter().zip(&blocks).zip(&acting) {
        let acting: Vec<&String> = acting
            .iter()
            .filter(|found| match found.split_once(' ') {
                Some(("html", tag)) => !is_harmless(tag),
                Some(("code", code)) => is_query(code),
                Some(("fence", info)) => is_executed(info),
                _ => true,
            })
            .collect();
        assert!(acting.is_empty(), "{answer:?}\nmarkdown-it sees {acting:?} in\n{block}");
    }
}

/// What a person reads: the text of a document, without marks and blanks.
fn read(text: &str) -> String {
    let arena = Arena::new();
    let mut reader = readers()[1].clone();
    reader.extension.autolink = false;
    let root = parse_document(&arena, text, &reader);
    let mut out = String::new();
    for node in root.descendants() {
        match &node.data.borrow().value {
            NodeValue::Text(text) => out.push_str(text),
            NodeValue::Code(code) => out.push_str(&code.literal),
            NodeValue::CodeBlock(code) => out.push_str(&code.literal),
            NodeValue::HtmlInline(tag) => out.push_str(tag),
            _ => out.push(' '),
        }
    }
    out.split_whitespace().collect()
}

/// Answers as models give them every day. What a person reads stays, and what is written looks as models write it.
#[test]
fn ordinary_answers_look_as_before() {
    let answers = include_str!("answers.md");
    let answers: Vec<&str> = answers.split("\n======\n").map(str::trim_end).collect();
    assert_eq!(answers.len(), 20);
    let inert: Vec<String> = answers.iter().map(|answer| Inert::default().words(answer)).collect();
    for (answer, inert) in answers.iter().zip(&inert) {
        assert_eq!(read(inert), read(answer), "{inert}");
    }
    insta::assert_snapshot!(inert.join("\n======\n"));
}
