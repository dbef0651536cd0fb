//! Parts of a listing.

use toolwrit_vault::{Depth, Folder, ListOrder, Only, VaultError};

use super::{Sandbox, never};

fn only(sandbox: &Sandbox, only: Only) -> Result<Vec<String>, VaultError> {
    let mut listing = sandbox.vault.list(&Folder::ROOT, Depth::DEEP, None, &never)?;
    sandbox.vault.keep_only(&mut listing.entries, only, &never)?;
    Ok(listing.entries.into_iter().map(|entry| entry.path.to_string()).collect())
}

#[test]
fn entries_are_kept_by_what_they_are_and_what_links_to_them() {
    let sandbox = Sandbox::new();
    sandbox.put("hub.md", "[[leaf]] ![[used.png]] [[gone]]");
    sandbox.put("leaf.md", "no links, `[[hub]]`, https://example.org");
    sandbox.put("self.md", "[[self]]");
    sandbox.put("Sub/front.md", "---\nup: \"[[self]]\"\n---\n");
    sandbox.put("plan.canvas", r#"{"nodes":[{"type":"file","file":"on canvas.pdf"}]}"#);
    for name in ["used.png", "unused.png", "on canvas.pdf", "table.base"] {
        sandbox.put(name, "{}");
    }
    sandbox.put(
        ".obsidian/bookmarks.json",
        r#"{"items":[{"type":"file","path":"leaf.md"},{"type":"group","items":[{"type":"folder","path":"Sub"},{"type":"search","query":"x"}]}]}"#,
    );
    let kept = |kind| only(&sandbox, kind).unwrap();
    assert_eq!(kept(Only::Notes), ["Sub/front.md", "hub.md", "leaf.md", "self.md"]);
    assert_eq!(
        kept(Only::Attachments),
        ["on canvas.pdf", "plan.canvas", "table.base", "unused.png", "used.png"]
    );
    assert_eq!(kept(Only::Orphans), ["Sub/front.md", "hub.md"]);
    assert_eq!(kept(Only::DeadEnds), ["leaf.md"]);
    assert_eq!(kept(Only::UnusedAttachments), ["unused.png"]);
    assert_eq!(kept(Only::Bookmarked), ["Sub", "leaf.md"]);
    sandbox.put(".obsidian/bookmarks.json", "{");
    let error = only(&sandbox, Only::Bookmarked).unwrap_err();
    assert!(error.to_string().contains("bookmarks.json"), "{error}");
}

#[test]
fn a_random_order_has_the_same_entries() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..30).map(|number| format!("{number:02}.md")).collect();
    for name in &names {
        sandbox.put(name, "");
    }
    let order = || {
        let list = sandbox.vault.list(&Folder::ROOT, Depth::SHALLOW, None, &never);
        let mut entries = list.unwrap().entries;
        sandbox.vault.sort(&mut entries, ListOrder::Random);
        entries.into_iter().map(|entry| entry.path.to_string()).collect::<Vec<_>>()
    };
    let orders: Vec<Vec<String>> = (0..3).map(|_| order()).collect();
    assert!(orders.iter().any(|order| *order != names));
    for mut order in orders {
        order.sort();
        assert_eq!(order, names);
    }
}
