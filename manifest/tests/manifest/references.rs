//! The places of names in manifests, for editors.

use toolwrit_manifest::editor::{KEY_REFERENCES, REFERENCES, editor_schema};

#[test]
fn every_place_of_a_name_exists_in_the_language() {
    let schema = editor_schema();
    let lists = schema["definitions"]["RawRoot"]["properties"].as_object().unwrap();
    for (mapping, keys, reference) in REFERENCES.iter().chain(KEY_REFERENCES) {
        let properties = &schema["definitions"][mapping]["properties"];
        for key in *keys {
            assert!(properties.get(key).is_some(), "{mapping}.{key}");
        }
        assert!(reference.list().is_none_or(|list| lists.contains_key(list)), "{mapping}");
    }
}
