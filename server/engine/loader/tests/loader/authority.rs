//! An authority that was loaded owns what it needs.

use serde_json::{Map, Value, json};
use toolwrit_core::arguments;
use toolwrit_core::authority::{Authority, Type};
use toolwrit_core::fault::Code;

const MANIFEST: &str = "toolwrit: 1
server: { name: shelf, prefix: my }
types:
  Name: { type: string, pattern: '^[a-z]+$', max_length: 8, example: jar }
  Place: { fields: { shelf: Name, row?: { type: integer, min: 1, default: 1 } } }
categories: { things: { summary: Things on shelves. } }
operations:
  things.put:
    summary: Put a thing on a shelf.
    effect: write
    params: { name: Name, place: Place, places?: 'Place[]' }
  things.find: { summary: Find a thing., effect: read, params: { name: Name }, aliases: [look_up] }
";

fn loaded() -> Authority {
    let manifest = toolwrit_manifest::load_sources("shelf.yaml", |_| Ok(MANIFEST.to_owned()));
    toolwrit_loader::load(
        &manifest.unwrap_or_else(|problems| panic!("{problems}")),
        "1.2.3",
        "LIBRARY",
    )
}

fn object(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

#[test]
fn it_lives_longer_than_the_manifest_and_in_other_threads() {
    let authority = loaded();
    let found = std::thread::spawn(move || {
        let tables = authority.tables();
        let found = tables.lookup("look_up").map(|name| usize::from(name.operation));
        found.map(|at| tables.operations[at].wire_name.clone())
    });
    assert_eq!(found.join().unwrap().as_deref(), Some("my_things_find"));
    assert_eq!(loaded().tables().server.version, "1.2.3");
}

#[test]
fn its_tables_check_arguments() {
    let authority = loaded();
    let inputs = &authority.tables().operations[0].inputs;
    let valid = json!({ "name": "jar", "place": { "shelf": "a" } });
    assert!(arguments::bind(inputs, object(valid)).is_ok());
    for wrong in ["Jar", "jarjarjar"] {
        let wrong = json!({ "name": "jar", "place": { "shelf": wrong } });
        let Err(fault) = arguments::bind(inputs, object(wrong)) else { panic!("it is accepted") };
        assert_eq!(fault.code(), Code::ValidationError);
    }
}

#[test]
fn uses_of_a_declared_type_share_one_expression() {
    let authority = loaded();
    let inputs = &authority.tables().operations[0].inputs;
    let (place, Type::Array { items, .. }) = (&inputs[1].ty, &inputs[2].ty) else {
        panic!("other types");
    };
    let [place, item] = [place, items].map(|ty| {
        let Type::Record(fields) = ty else { panic!("other types") };
        let Type::String { pattern: Some(pattern), .. } = &fields[0].ty else {
            panic!("no expression")
        };
        pattern.as_str()
    });
    assert!(std::ptr::eq(place, item));
}
