//! Setting, removing and renaming properties of many notes.

use serde_json::{Value, json};
use toolwrit_vault::frontmatter::Properties;
use toolwrit_vault::{
    CaseSensitivity, ChangeMode, InvalidPropertyChange, ManyChanged, NoteChoice, PropertyChange,
    SearchPattern,
};

use crate::{Sandbox, never, path};

fn properties(value: Value) -> Properties {
    serde_json::from_value(value).unwrap()
}

fn change(
    rename: &[(&str, &str)],
    remove: &[&str],
    set: Value,
) -> Result<PropertyChange, InvalidPropertyChange> {
    let rename = rename.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned()));
    let remove = remove.iter().map(|key| (*key).to_owned());
    PropertyChange::new(rename.collect(), remove.collect(), properties(set))
}

fn make(sandbox: &Sandbox, choice: &NoteChoice, change: &PropertyChange) -> ManyChanged {
    sandbox.vault.change_properties(choice, change, ChangeMode::Change, &never).unwrap()
}

#[test]
fn many_notes_change_and_no_other_byte() {
    let sandbox = Sandbox::new();
    sandbox.put(
        "a.md",
        "---\r\nstatus: open # why\r\nold: [x,  y]\r\nend: 1\r\n---\r\ntext\nmixed\r\n",
    );
    sandbox.put("Deep/b.md", "\u{FEFF}---\n\"old\": |\n  text\n---\n");
    sandbox.put("c.md", "no properties");
    sandbox.put("p.png", "---\nold: 1\n---\n");
    let all = NoteChoice::Matching(SearchPattern::glob("**", CaseSensitivity::Sensitive).unwrap());
    let change = change(&[("old", "new name")], &["end"], json!({"Status": "done"})).unwrap();
    let changed = make(&sandbox, &all, &change);
    assert_eq!(changed.notes.iter().map(|note| note.changes).collect::<Vec<_>>(), [2, 3, 1]);
    assert_eq!(
        sandbox.bytes("a.md"),
        b"---\r\nstatus: done # why\r\nnew name: [x,  y]\r\n---\r\ntext\nmixed\r\n"
    );
    let renamed = "\u{FEFF}---\nnew name: |\n  text\nStatus: done\n---\n";
    assert_eq!(sandbox.bytes("Deep/b.md"), renamed.as_bytes());
    assert_eq!(sandbox.bytes("c.md"), b"---\nStatus: done\n---\nno properties");
    assert_eq!(sandbox.bytes("p.png"), b"---\nold: 1\n---\n");
}

#[test]
fn what_does_not_fit_is_skipped_with_the_reason() {
    let sandbox = Sandbox::new();
    sandbox.put("both.md", "---\na: 1\nB: 2\n---\n");
    sandbox.put("broken.md", "---\n[a\n---\n");
    sandbox.put("none.md", "---\nc: 1\n---\n");
    sandbox.put("open.md", "---\na: 1\n");
    sandbox.put("good.md", "---\na: 1\n---\n");
    let names = ["both", "broken", "good", "none", "open"];
    let before: Vec<_> = names.iter().map(|name| sandbox.bytes(&format!("{name}.md"))).collect();
    let chosen = NoteChoice::Named(names.iter().map(|name| path(name)).collect());
    let change = change(&[("a", "b")], &[], json!({})).unwrap();
    let shown =
        sandbox.vault.change_properties(&chosen, &change, ChangeMode::Preview, &never).unwrap();
    let reasons: Vec<_> = shown.skipped.iter().map(|note| note.reason.to_string()).collect();
    for (reason, said) in
        reasons.iter().zip(["`B` already", "invalid at line", "nothing", "no closing"])
    {
        assert!(reason.contains(said), "{reason}");
    }
    assert_eq!((reasons.len(), shown.notes.len()), (4, 1));
    let after: Vec<_> = names.iter().map(|name| sandbox.bytes(&format!("{name}.md"))).collect();
    assert_eq!(before, after);
    make(&sandbox, &chosen, &change);
    assert_eq!(sandbox.bytes("good.md"), b"---\nb: 1\n---\n");
    assert_eq!(sandbox.bytes("both.md"), before[0]);
}

#[test]
fn a_change_that_depends_on_its_order_is_refused() {
    for (rename, remove, set) in [
        (vec![("a", "b")], vec!["A"], json!({})),
        (vec![("a", "b"), ("c", "B")], vec![], json!({})),
        (vec![("a", "b")], vec![], json!({"b": 1})),
        (vec![], vec!["a"], json!({"a": 1})),
        (vec![], vec![" "], json!({})),
        (vec![], vec![], json!({})),
    ] {
        assert!(change(&rename, &remove, set.clone()).is_err(), "{rename:?} {remove:?} {set}");
    }
    assert!(change(&[("a", "A")], &[], json!({})).is_ok());
}
