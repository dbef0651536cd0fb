//! Search by meaning in real vaults.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, mpsc};
use std::thread;

use tempfile::TempDir;
use toolwrit_plugins::smart_connections::{
    Passage, Query, SearchError, SmartConnections, SmartEnv,
};
use toolwrit_vault::{Folder, OpenOptions, Vault};

const BREAD: &str = "---\ntags: [food]\n---\nA starter needs flour and water.\n\n# Sourdough\n\n## Baking\n\nPut the dough into a hot oven for forty minutes.\n\n## Storing\n\nKeep the loaf in a linen bag.\n";
const TRAINS: &str = "# Travel\n\nThe night express to Vienna leaves from platform two.\n";
const CATS: &str = "Feed the cat twice a day and brush her fur.\n";

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn notes() -> TempDir {
    let folder = TempDir::new().unwrap();
    put(folder.path(), "Kitchen/Bread.md", BREAD);
    put(folder.path(), "Work/Trains.md", TRAINS);
    put(folder.path(), "Home/Cats.md", CATS);
    folder
}

fn open(folder: &Path) -> Vault {
    Vault::open(folder).unwrap()
}

fn find(search: &SmartConnections, text: &str) -> Vec<Passage> {
    let query = Query { text, limit: 5, folders: &[], exclude_folders: &[] };
    search.search(&query, &|| false).unwrap()
}

fn best(search: &SmartConnections, text: &str) -> String {
    let found = find(search, text);
    found.first().map_or_else(String::new, |passage| passage.path.to_string())
}

#[test]
fn passages_are_found_by_meaning_with_headings_and_excerpt() {
    let folder = notes();
    let search = SmartConnections::new(open(folder.path()));
    let found = find(&search, "how do I bake a cake in the stove");
    assert_eq!(found[0].path.as_str(), "Kitchen/Bread.md");
    assert_eq!(found[0].headings, ["Sourdough", "Baking"]);
    assert_eq!(found[0].excerpt, "Put the dough into a hot oven for forty minutes.");
    assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert_eq!(best(&search, "railway journey to Austria"), "Work/Trains.md");
    assert_eq!(best(&search, "looking after pets"), "Home/Cats.md");
}

#[test]
fn words_of_the_query_count_too() {
    let folder = notes();
    put(folder.path(), "Codes.md", "The part XQ-1776 fits.\n");
    let search = SmartConnections::new(open(folder.path()));
    assert_eq!(best(&search, "XQ-1776"), "Codes.md");
}

#[test]
fn folders_limit_the_search() {
    let folder = notes();
    let search = SmartConnections::new(open(folder.path()));
    let (work, kitchen) = (Folder::parse("Work").unwrap(), Folder::parse("Kitchen").unwrap());
    let text = "bake a cake in the oven";
    let within = Query { text, limit: 5, folders: &[work], exclude_folders: &[] };
    let found = search.search(&within, &|| false).unwrap();
    assert!(found.iter().all(|passage| passage.path.as_str().starts_with("Work/")), "{found:?}");
    let without = Query { text, limit: 5, folders: &[], exclude_folders: &[kitchen] };
    let found = search.search(&without, &|| false).unwrap();
    assert!(
        found.iter().all(|passage| !passage.path.as_str().starts_with("Kitchen/")),
        "{found:?}"
    );
}

#[test]
fn the_index_follows_the_vault() {
    let folder = notes();
    let vault = open(folder.path());
    let search = SmartConnections::new(vault.clone());
    assert_eq!(best(&search, "looking after pets"), "Home/Cats.md");
    put(folder.path(), "Home/Cats.md", "Taxes are due in April.\n");
    put(folder.path(), "Home/Dogs.md", "Walk the dog, a loyal pet, every morning.\n");
    fs::remove_file(folder.path().join("Work/Trains.md")).unwrap();
    vault.wait_for_index(&|| false).unwrap();
    assert_eq!(best(&search, "looking after pets"), "Home/Dogs.md");
    let found = find(&search, "railway journey on a train");
    assert!(found.iter().all(|passage| passage.path.as_str() != "Work/Trains.md"), "{found:?}");
}

#[test]
fn a_saved_index_gives_the_same_answers() {
    let folder = notes();
    let (state, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let open = || {
        let private = |folder: &TempDir| Some(folder.path().to_owned());
        let options =
            OpenOptions { state: private(&state), cache: private(&cache), ..Default::default() };
        SmartConnections::new(Vault::open_with(folder.path(), options).unwrap())
    };
    let first = find(&open(), "bake a cake in the oven");
    let is_saved = |name: &str| name.contains("meanings");
    let mut saved = fs::read_dir(cache.path()).unwrap();
    let saved =
        saved.find(|entry| is_saved(&entry.as_ref().unwrap().file_name().to_string_lossy()));
    let saved = saved.unwrap().unwrap().path();
    assert_eq!(find(&open(), "bake a cake in the oven"), first);
    let mut bytes = fs::read(&saved).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&saved, bytes).unwrap();
    assert_eq!(find(&open(), "bake a cake in the oven"), first);
}

#[test]
fn a_query_without_known_words_finds_nothing() {
    let folder = notes();
    let search = SmartConnections::new(open(folder.path()));
    assert!(find(&search, "日本語々").is_empty());
    assert!(find(&search, "").is_empty());
}

#[test]
fn a_search_during_the_first_build_does_not_wait() {
    let folder = notes();
    let vault = open(folder.path());
    vault.wait_for_index(&|| false).unwrap();
    let search = SmartConnections::new(vault);
    let builder = search.clone();
    let (building, has_begun) = mpsc::channel();
    let (release, released) = mpsc::channel();
    let pause = Mutex::new(Some((building, released)));
    let builds = thread::spawn(move || {
        let query = Query { text: "bread", limit: 1, folders: &[], exclude_folders: &[] };
        let paused = || {
            if let Some((building, released)) = pause.lock().unwrap().take() {
                building.send(()).unwrap();
                released.recv().unwrap();
            }
            false
        };
        builder.search(&query, &paused).map(|found| found.len())
    });
    has_begun.recv().unwrap();
    let query = Query { text: "bread", limit: 1, folders: &[], exclude_folders: &[] };
    let early = search.search(&query, &|| false);
    assert!(matches!(early, Err(SearchError::Building)), "{early:?}");
    release.send(()).unwrap();
    assert_eq!(builds.join().unwrap().unwrap(), 1);
    assert_eq!(best(&search, "bread"), "Kitchen/Bread.md");
}

#[test]
fn what_the_plugin_saved_is_examined_and_broken_lines_are_reported() {
    let folder = notes();
    let vault = open(folder.path());
    let search = SmartConnections::new(vault.clone());
    assert_eq!(SmartEnv::read(&vault), None);
    let good = r#""smart_sources:Home/Cats.md": {"path": "Home/Cats.md", "embeddings": {"TaylorAI/bge-micro-v2": {"vec": [0.1]}}},"#;
    let block = r#""smart_blocks:Home/Cats.md#A": null,"#;
    put(
        folder.path(),
        ".smart-env/multi/Home_Cats_md.ajson",
        &format!("{good}\n\"smart_so\n{block}\n"),
    );
    put(folder.path(), ".smart-env/multi/other.txt", "not examined");
    let found = SmartEnv::read(&vault).unwrap();
    assert_eq!((found.files, found.entries), (1, 2));
    assert_eq!(found.models.into_iter().collect::<Vec<_>>(), ["TaylorAI/bge-micro-v2"]);
    assert_eq!(found.broken.len(), 1);
    assert_eq!(
        (found.broken[0].file.as_str(), found.broken[0].line),
        (".smart-env/multi/Home_Cats_md.ajson", 2)
    );
    assert_eq!(best(&search, "looking after pets"), "Home/Cats.md");
}
