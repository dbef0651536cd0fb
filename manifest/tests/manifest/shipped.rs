//! The manifest of the shipped server.

use std::fs;
use std::path::Path;

use toolwrit_manifest::interface::{json_schema, signature};
use toolwrit_manifest::{Authority, Shape, load};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn shipped() -> Authority {
    load(&root().join("authority.yaml")).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn it_loads_without_warnings() {
    let authority = shipped();
    let warnings: Vec<String> =
        authority.warnings().iter().map(|warning| warning.render(authority.sources())).collect();
    assert!(warnings.is_empty(), "{}", warnings.join("\n\n"));
    assert!(!authority.operations.is_empty());
}

#[test]
fn every_file_is_included() {
    let authority = shipped();
    for file in fs::read_dir(root().join("operations")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let listed = authority.sources().iter().any(|source| source.path.ends_with(&name));
        assert!(listed, "operations/{name} is not listed under `include`");
    }
}

#[test]
fn its_examples_fit_its_schemas() {
    let authority = shipped();
    for operation in &authority.operations {
        let schema =
            serde_json::from_str(&json_schema::input_schema(&authority, operation)).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for example in &operation.examples {
            let args = serde_json::Value::Object(example.args.clone());
            assert!(validator.is_valid(&args), "{}: {args}", operation.id);
        }
        assert!(signature::signature(&authority, operation).starts_with(&operation.id));
    }
}

/// The values of enums and the fields of records without a description, below this place.
fn undescribed(authority: &Authority, place: &str, shape: &Shape, found: &mut Vec<String>) {
    match shape {
        Shape::Enum(values) => {
            let values = values.iter().filter(|value| is_blank(value.description.as_ref()));
            found.extend(values.map(|value| format!("{place}: {}", value.name)));
        }
        Shape::Array { items, .. } => undescribed(authority, place, items, found),
        Shape::Map(values) => undescribed(authority, place, values, found),
        Shape::Record(fields) => {
            for field in fields {
                let place = format!("{place}.{}", field.name);
                let of_type = match &field.shape {
                    Shape::Named(id) => authority[*id].description.as_ref(),
                    _ => None,
                };
                if is_blank(field.description.as_ref().or(of_type)) {
                    found.push(place.clone());
                }
                undescribed(authority, &place, &field.shape, found);
            }
        }
        _ => {}
    }
}

fn is_blank(description: Option<&String>) -> bool {
    description.is_none_or(|text| text.trim().is_empty())
}

#[test]
fn every_value_of_its_enums_and_every_field_of_its_results_is_described() {
    let authority = shipped();
    let mut found = Vec::new();
    for declared in &authority.types {
        undescribed(&authority, &declared.name, &declared.shape, &mut found);
    }
    for operation in &authority.operations {
        for param in &operation.params {
            let place = format!("{}.{}", operation.id, param.name);
            undescribed(&authority, &place, &param.shape, &mut found);
        }
        if let Some(result) = operation.returns.shape() {
            undescribed(&authority, &operation.id, result, &mut found);
        }
    }
    assert!(found.is_empty(), "without a description:\n{}", found.join("\n"));
}
