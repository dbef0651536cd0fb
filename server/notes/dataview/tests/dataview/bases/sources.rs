//! Where a base is, what `this` means, and which files are rows.

use serde_json::json;
use toolwrit_dataview::bases::{BaseError, ViewOptions, split_view};
use toolwrit_vault::VaultPath;

use super::sandbox::{Sandbox, options, paths, values};

const BACKLINKS: &str = "filters: 'file.hasLink(this)'
formulas: {t: this.file.name, k: this.KEY}
views: [{type: table, name: B, order: [file.name, formula.t, formula.k]}]
";

const NOTE: &str = "---
key: v
---
````md
```base
views: [{type: table, name: none}]
```
````
```base
views: [{type: table, name: First, filters: 'file == this'}]
```
> ~~~ base
> views:
>   - type: list
>     name: Second
>     filters: 'file.ext == \"base\"'
> ~~~
";

fn vault() -> Sandbox {
    Sandbox::with_files(&[
        ("hub.md", "---\nkey: hub\n---\n![[back.base]]\n"),
        ("a.md", "[[hub]]\n"),
        ("c.md", "x\n"),
        ("board.canvas", "{}"),
        ("back.base", BACKLINKS),
        ("blocks.md", NOTE),
        ("unclosed.md", "```base\nviews: [{type: table, name: Open}]"),
    ])
}

fn from(origin: &str) -> ViewOptions {
    ViewOptions { origin: Some(VaultPath::parse(origin).unwrap()), ..options() }
}

fn block(number: usize) -> ViewOptions {
    ViewOptions { block: Some(number), ..options() }
}

#[test]
fn this_is_the_base_or_the_origin() {
    let sandbox = vault();
    let view = sandbox.view("back.base", None);
    assert_eq!(values(&view), json!([["hub.md", "back.base", null]]));
    let view = sandbox.run("back.base", None, &from("hub.md")).unwrap();
    assert_eq!(values(&view), json!([["a.md", "hub.md", "hub"]]));
    let view = sandbox.run("back.base", None, &from("board.canvas")).unwrap();
    assert_eq!(view.total, 0);
    let error = sandbox.run("back.base", None, &from("none.md")).unwrap_err();
    assert!(matches!(error, BaseError::Origin(_)), "{error}");
    assert_eq!(
        error.to_string(),
        "the origin cannot be read: `none.md` does not exist in the vault"
    );
}

#[test]
fn a_note_has_bases_in_blocks() {
    let sandbox = vault();
    let first = sandbox.view("blocks.md", None);
    assert_eq!((&*first.name, paths(&first)), ("First", vec!["blocks.md"]));
    let second = sandbox.run("blocks.md", None, &block(2)).unwrap();
    assert_eq!((&*second.name, &*second.kind), ("Second", "list"));
    assert_eq!(paths(&second), ["back.base"]);
    assert_eq!(sandbox.view("unclosed.md", None).name, "Open");
    for (path, number, error) in [
        ("blocks.md", 3, "the note has 2 blocks of the language `base`, so there is no block 3"),
        ("unclosed.md", 2, "the note has 1 block of the language `base`, so there is no block 2"),
        ("c.md", 1, "the note has no block of the language `base`, so there is no block 1"),
        ("c.md", 0, "the note has no block of the language `base`, so there is no block 0"),
    ] {
        let found = sandbox.run(path, None, &block(number)).unwrap_err();
        assert_eq!(found.to_string(), error);
    }
}

#[test]
fn a_reference_names_a_view() {
    assert_eq!(split_view("a/x.base#To read"), ("a/x.base", Some("To read")));
    assert_eq!(split_view("x.base"), ("x.base", None));
    assert_eq!(split_view("x.base#"), ("x.base", None));
    assert_eq!(split_view("C#.md#A #1"), ("C#.md", Some("A #1")));
    assert_eq!(split_view("C#.base"), ("C#.base", None));
}

#[test]
fn excluded_files_are_no_rows() {
    let settings = r#"{"userIgnoreFilters": ["Archive/", "/draft-\\d+/", "", "/(/"]}"#;
    let sandbox = Sandbox::with_files(&[
        (".obsidian/app.json", settings),
        ("Archive/old.md", ""),
        ("Archive.md", ""),
        ("a/draft-1.md", ""),
        ("a/draft-x.md", ""),
        ("v.base", "views: [{type: table}]"),
    ]);
    let view = sandbox.view("v.base", None);
    assert_eq!(paths(&view), ["Archive.md", "a/draft-x.md", "v.base"]);
    let [failed] = &*view.failed else { panic!("{:?}", view.failed) };
    assert_eq!((&*failed.place, failed.files), ("userIgnoreFilters", 0));
    assert!(failed.reason.starts_with("`(` is not a supported regular expression"), "{failed:?}");
}

#[test]
fn tags_in_one_text_are_several() {
    let sandbox = Sandbox::with_files(&[
        ("a.md", "---\ntags: one, two/three\n---\n"),
        ("b.md", "---\nTags: one\n---\n"),
        ("v.base", "filters: 'tags.contains(\"TWO\")'\nviews: [{type: table, order: [tags]}]"),
    ]);
    assert_eq!(values(&sandbox.view("v.base", None)), json!([[["one", "two/three"]]]));
}
