//! What a document means becomes what is sent: media types, files, null, inheritance, places in paths, keys.

use toolwrit_openapi::{Imported, Options, import_text};

use crate::loaded::load;

/// Imports a document that has these paths and other parts, in YAML.
fn imported(rest: &str) -> Imported {
    let head =
        "info: { title: Things, version: '1' }\nservers: [{ url: 'https://things.example' }]\n";
    let text = if rest.starts_with("swagger") {
        rest.to_owned()
    } else {
        format!("openapi: 3.1.0\n{head}{rest}")
    };
    let imported = import_text(&text, &Options::default()).unwrap();
    load(&imported).unwrap_or_else(|why| panic!("{why}\n{}", imported.manifest));
    imported
}

/// Fails unless the manifest has these texts.
#[track_caller]
fn has(imported: &Imported, texts: &[&str]) {
    for text in texts {
        assert!(imported.manifest.contains(text), "{text} is not in\n{}", imported.manifest);
    }
}

#[track_caller]
fn lacks(imported: &Imported, text: &str) {
    assert!(!imported.manifest.contains(text), "{text} is in\n{}", imported.manifest);
}

#[track_caller]
fn loses(imported: &Imported, texts: &[&str]) {
    for text in texts {
        let is_lost = imported.losses.iter().any(|loss| loss.message.contains(text));
        assert!(is_lost, "{text} is not among {:?}", imported.losses);
    }
}

#[test]
fn an_answer_that_never_has_content_is_no_result() {
    let content =
        "content: { application/json: { schema: { type: array, items: { type: string } } } }";
    let of = |responses: &str| {
        imported(&format!(
            "paths: {{ /a: {{ post: {{ operationId: a, responses: {{ {responses} }} }} }} }}"
        ))
    };
    for status in ["204", "205"] {
        lacks(&of(&format!("'{status}': {{ description: x, {content} }}")), "returns:");
    }
    has(
        &of(&format!("'204': {{ description: x }}, '200': {{ description: x, {content} }}")),
        &["returns: \"string[]\""],
    );
    has(
        &of(&format!(
            "'204': {{ description: x, {content} }}, '201': {{ description: x, {content} }}"
        )),
        &["returns:"],
    );
}

#[test]
fn a_body_is_sent_as_its_media_type_and_the_best_of_several() {
    let of = |content: &str| {
        imported(&format!(
            "paths: {{ /a: {{ patch: {{ operationId: a, requestBody: {{ required: true, content: {{ {content} }} }},
              responses: {{ '200': {{ description: x }} }} }} }} }}"
        ))
    };
    let object = "{ schema: { type: object, properties: { a: { type: string } } } }";
    let list = "{ schema: { type: array, items: { type: object } } }";
    let text = "{ schema: { type: string } }";
    has(&of(&format!("application/json: {object}")), &["json: { a?: $a } }"]);
    for name in
        ["application/merge-patch+json", "application/vnd.api+json", "application/fhir+json"]
    {
        let body = format!("body: {{ type: \"{name}\", json: {{ a?: $a }} }}");
        has(&of(&format!("{name}: {object}")), &[&body]);
    }
    has(
        &of(&format!("application/json-patch+json: {list}")),
        &["type: \"application/json-patch+json\", json: $body"],
    );
    has(
        &of(&format!("application/xml: {object}")),
        &["body: { type: application/xml, text: $body }"],
    );
    has(&of(&format!("text/csv: {text}")), &["body: { type: text/csv, text: $body }"]);
    has(&of(&format!("application/x-ndjson: {text}")), &["type: application/x-ndjson, text:"]);
    has(&of(&format!("text/plain: {text}")), &["text: $body"]);
    let several = of(&format!(
        "application/json-patch+json: {list}, application/x-yaml: {text}, application/merge-patch+json: {object}"
    ));
    has(&several, &["type: \"application/merge-patch+json\""]);
    loses(
        &several,
        &[
            "sent as application/merge-patch+json, not as application/json-patch+json, application/x-yaml",
        ],
    );
    let preferred =
        of(&format!("application/merge-patch+json: {object}, application/json: {object}"));
    has(&preferred, &["json: { a?: $a } }"]);
    lacks(&preferred, "body:");
}

#[test]
fn an_answer_is_asked_for_by_its_media_type() {
    let imported = imported(
        "paths: { /a: { get: { operationId: a, responses: { '200': { description: x, content:
           { application/vnd.acme.v2+json: { schema: { type: object, properties: { a: { type: string } } } } } } } } } }",
    );
    has(&imported, &["headers: { Accept: \"application/vnd.acme.v2+json\" }"]);
}

#[test]
fn files_may_lack_a_name_and_forms_a_field() {
    let of = |schema: &str, more: &str| {
        imported(&format!(
            "paths: {{ /a: {{ post: {{ operationId: a, requestBody: {{ required: true,
              content: {{ multipart/form-data: {{ schema: {schema}{more} }} }} }}, responses: {{ '200': {{ description: x }} }} }} }} }}"
        ))
    };
    let named = of(
        "{ type: object, required: [doc], properties: { doc: { type: string, format: binary }, n: { type: string, contentMediaType: image/png } } }",
        ", encoding: { n: { contentType: image/png } }",
    );
    let object = of(
        "{ type: object, properties: { meta: { type: object, properties: { a: { type: integer } } },
          list: { type: array, items: { type: integer } } } }",
        "",
    );
    has(&object, &["multipart: { meta?: $meta }"]);
    loses(&object, &["a text, an object or a file: left out"]);
    has(
        &named,
        &[
            "doc_name?: { type: string",
            "doc: { content: $doc, file_name?: $doc_name }",
            "n?: { content: $n, file_name?: $n_name, media_type: image/png }",
        ],
    );
    let unnamed = of("{ type: string, format: binary }", "");
    has(&unnamed, &["multipart: { file: { content: $file, file_name?: $file_name } }"]);
    loses(&unnamed, &["sent as `file`"]);
    loses(&of("{ type: object }", ""), &["does not name the fields"]);
}

#[test]
fn null_may_be_sent_where_the_document_says_so() {
    let imported = imported(
        "paths:
  /tasks/{id}:
    put:
      operationId: put
      parameters: [{ name: id, in: path, required: true, schema: { type: [integer, 'null'] } }]
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [due], properties: {
        due: { type: [string, 'null'], format: date }, who: { anyOf: [{ $ref: '#/components/schemas/Who' }, { type: 'null' }] },
        tags: { type: array, items: { type: [string, 'null'] } }, rank: { type: integer } } } } } }
      responses: { '200': { description: x, content: { application/json: { schema: { type: object, properties: {
        days: { type: array, items: { type: [integer, 'null'] } }, by: { type: object, additionalProperties: { type: [number, 'null'] } } } } } } } }
components: { schemas: { Who: { type: object, required: [id], properties: { id: { type: integer }, fullName: { type: string } } } } }",
    );
    has(
        &imported,
        &[
            "id: integer",
            "due: { type: date, nullable: true }",
            "nullable: true }",
            "who?: { type: \"map<json>\"",
            "tags?: \"json[]\"",
            "rank?: integer",
            "days?: \"json[]\"",
            "by?: \"map<json>\"",
        ],
    );
    loses(&imported, &["its elements may be null: any value"]);
}

#[test]
fn merge_keys_of_yaml_are_merged() {
    let imported = imported(
        "x-a: &a { tags: [jobs], parameters: [{ name: q, in: query, required: true, schema: { type: string } }] }
x-b: &b { summary: Run a job. }
paths:
  /jobs:
    get:
      <<: [*a, *b]
      operationId: runJobs
      responses: { 200: { description: x } }",
    );
    has(&imported, &["  jobs.run:", "params: { q: string }", "Run a job."]);
}

#[test]
fn a_schema_with_a_discriminator_has_the_fields_of_those_that_extend_it() {
    let imported = imported(
        "paths: { /pets: { post: { operationId: addPet, requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } },
          responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } } } },
          /cats: { get: { operationId: getCat, responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Cat' } } } } } } } }
components:
  schemas:
    Pet: { type: object, required: [kind], properties: { kind: { type: string } }, discriminator: { propertyName: kind } }
    Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, required: [skill], properties: { skill: { type: string }, size: { type: integer } } }] }
    Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { size: { type: string } } }] }
    Puppy: { allOf: [{ $ref: '#/components/schemas/Dog' }, { type: object, properties: { weeks: { type: integer } } }] }",
    );
    has(
        &imported,
        &[
            "kind: { type: string, description: \"One of: Cat, Dog, Puppy.\" }",
            "examples: [{ args: { kind: Cat } }]",
            "Pet: { fields: { kind: string, skill?: string, size?: json, weeks?: integer } }",
            "Cat: { fields: { kind: string, skill: string, size?: integer } }",
        ],
    );
    loses(&imported, &["one of several kinds of objects"]);
}

#[test]
fn values_in_paths_have_their_style() {
    let path = |path: &str, more: &str| {
        imported(&format!(
            "paths: {{ '{path}': {{ get: {{ operationId: a, parameters: [{{ name: id, in: path, required: true, {more} }}],
              responses: {{ '200': {{ description: x }} }} }} }} }}"
        ))
    };
    let text = "schema: { type: string }";
    let list = "schema: { type: array, items: { type: integer } }";
    has(&path("/l/{id}", &format!("style: label, {text}")), &["get: \"/l/.{id}\""]);
    has(&path("/m{id}", &format!("style: matrix, {text}")), &["get: \"/m;id={id}\""]);
    has(&path("/s/{id}", list), &["id: \"integer[]\"", "get: \"/s/{id}\""]);
    has(&path("/l/{id}", &format!("style: label, {list}")), &["get: \"/l/.{id}\"", "integer[]"]);
    loses(
        &path("/l/{id}", &format!("style: matrix, explode: true, {list}")),
        &["joined by commas"],
    );
    has(&path("/f/{id}", &format!("x-multi-segment: true, {text}")), &["get: \"/f/{+id}\""]);
    has(&path("/f/{id}", &format!("allowReserved: true, {text}")), &["get: \"/f/{+id}\""]);
    for template in ["/f/{+id}", "/f/{id+}", "/f/{id*}"] {
        has(&path(template, text), &["get: \"/f/{+id}\"", "id: string"]);
    }
}

#[test]
fn keys_that_hold_together_are_sent_together() {
    let schemes = "components: { securitySchemes: { apiKeyAuth: { type: apiKey, in: header, name: DD-API-KEY },
      appKeyAuth: { type: apiKey, in: header, name: DD-APPLICATION-KEY }, token: { type: http, scheme: bearer },
      user: { type: http, scheme: basic } } }\n";
    let of = |security: &str| {
        imported(&format!(
            "{schemes}security: {security}\npaths: {{ /a: {{ get: {{ operationId: a, responses: {{ '200': {{ description: x }} }} }} }} }}"
        ))
    };
    let two = of("[{ apiKeyAuth: [], appKeyAuth: [] }]");
    has(
        &two,
        &[
            "api_key_auth: { type: string, sensitive: true }",
            "- api_key: { header: DD-APPLICATION-KEY, value: $app_key_auth }",
        ]
        .map(|text| text.trim_start_matches("- ")),
    );
    let mixed = of("[{ token: [], appKeyAuth: [] }, { user: [] }]");
    has(&mixed, &["bearer: $token", "header: DD-APPLICATION-KEY"]);
    lacks(&of("[{ apiKeyAuth: [] }, { token: [] }]"), "DD-APPLICATION-KEY");
    lacks(&of("[{ token: [], user: [] }]"), "basic:");
}

#[test]
fn a_document_of_version_2_0() {
    let imported = imported(include_str!("../documents/swagger.yaml"));
    let losses = imported.losses.iter().map(|loss| {
        format!("# lost: {}: {}: {}\n", loss.kind.as_str(), loss.pointer, loss.message)
    });
    insta::assert_snapshot!(format!("{}{}", imported.manifest, losses.collect::<String>()));
}

#[test]
fn a_document_of_version_3_2() {
    let text = "openapi: 3.2.0\n$self: https://things.example/openapi.yaml\ninfo: { title: Things, version: '1' }
servers: [{ url: 'https://things.example', name: Production }]
tags: [{ name: things, summary: Things, parent: all }, { name: all }]
paths: { /a: { get: { operationId: a, tags: [things], responses: { '200': { description: x, content: { application/json: { $ref: '#/components/mediaTypes/A' } } } } },
  query: { operationId: q, responses: { '200': { description: x } } },
  additionalOperations: { COPY: { operationId: c, responses: { '200': { description: x } } } } } }
components: { mediaTypes: { A: { schema: { type: object, properties: { n: { type: integer } } } } } }";
    let imported = import_text(text, &Options::default()).unwrap();
    load(&imported).unwrap();
    has(&imported, &["n?: integer", "  things.a:"]);
    loses(&imported, &["QUERY is not bound", "COPY is not bound"]);
}

#[test]
fn names_have_words_of_the_path_rather_than_numbers() {
    let operation = |id: &str| {
        format!(
            "{{ post: {{ operationId: {id}, tags: [Payment modifications], responses: {{ '200': {{ description: x }} }} }} }}"
        )
    };
    let id = "post-payments-paymentPspReference";
    let imported = imported(&format!(
        "paths: {{ '/payments/{{ref}}/cancels': {}, '/payments/{{ref}}/captures': {}, '/payments/{{ref}}/refunds': {}, /a: {}, /b: {} }}",
        operation(&format!("{id}-cancels")),
        operation(&format!("{id}-captures")),
        operation(&format!("{id}-refunds")),
        operation("list"),
        operation("list"),
    ));
    let names: Vec<&str> = imported
        .manifest
        .lines()
        .filter_map(|line| line.strip_prefix("  payment.")?.strip_suffix(':'))
        .collect();
    assert_eq!(names.len(), 5, "{}", imported.manifest);
    for (name, word) in names.iter().zip(["cancels", "captures", "refunds", "list_a", "list_b"]) {
        assert!(name.ends_with(word), "{names:?}");
        assert!("mcp__things__payment_".len() + name.len() <= 60, "{name}");
    }
}

#[test]
fn required_parameters_have_an_example_of_their_schema() {
    let imported = imported(
        "paths: { /a: { post: { operationId: a, parameters: [
            { name: id, in: query, required: true, schema: { type: string, format: uuid } },
            { name: code, in: query, required: true, schema: { type: string, pattern: '^[A-Z]{3}-\\d{2,4}$' } },
            { name: name, in: query, required: true, schema: { type: string, minLength: 9 } },
            { name: most, in: query, required: true, schema: { type: integer, maximum: 0 } }],
          requestBody: { required: true, content: { application/json: { schema: { type: object, required: [either, any, list], properties: {
            either: { oneOf: [{ type: object, required: [cat], properties: { cat: { type: string } } }, { type: integer }] },
            any: {}, list: { type: array, minItems: 2, items: { type: integer } } } } } } },
          responses: { '200': { description: x } } } } }",
    );
    has(
        &imported,
        &[
            "examples:",
            "3fa85f64-5717-4562-b3fc-2c963f66afa6",
            "AAA-",
            "exampleex",
            "most: 0",
            "cat: example",
            "list: [1, 1]",
        ],
    );
}

#[test]
fn a_whole_body_has_an_example_of_its_schema() {
    let imported = imported(
        "paths: { /a: { post: { operationId: a, requestBody: { required: true, content: { application/json: { schema: {
            oneOf: [{ type: object, required: [kind], properties: { kind: { enum: [cat] } } }, { type: integer }] } } } },
          responses: { '200': { description: x } } } } }",
    );
    has(&imported, &["examples: [{ args: { body: { kind: cat } } }]"]);
}

/// Imports the shop of old with an overlay.
fn overlaid(overlay: &str) -> Result<Imported, String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), overlay).unwrap();
    let options = Options { overlays: vec![file.path().to_owned()], ..Options::default() };
    import_text(include_str!("../documents/swagger.yaml"), &options).map_err(|why| why.to_string())
}

#[test]
fn an_overlay_changes_the_document_before_it_is_imported() {
    let imported = overlaid(
        "overlay: 1.0.0
info: { title: Ours, version: 1.0.0 }
actions:
  - { target: $.info, update: { title: Our Shop, x-more: { a: 1 } } }
  - { target: \"$.paths['/pets'].get\", update: { summary: See all pets., tags: [more], parameters: [{ name: age, in: query, type: integer }] } }
  - { target: \"$.paths['/pets'].get.parameters[?@.name == 'kinds' || @.name == 'ids']\", remove: true }
  - { target: \"$.paths[*].post\", update: { deprecated: true } }
  - { target: \"$.paths['/login']\", remove: true }
  - { target: \"$.paths['/pets'].get.tags\", update: again }
  - { target: $.nothing, remove: true }",
    )
    .unwrap();
    load(&imported).unwrap();
    has(&imported, &["our-shop", "See all pets.", "age?: integer", "deprecated:"]);
    for gone in ["login.", "kinds", "ids?"] {
        lacks(&imported, gone);
    }
    loses(&imported, &["`$.nothing` of the overlay selects nothing"]);
}

#[test]
fn what_is_required_beside_a_reference_is_required() {
    let imported = imported(
        "paths: { /a: { post: { operationId: a, requestBody: { required: true, content: { application/json: { schema: {
            $ref: '#/components/schemas/Some', required: [ids] } } } }, responses: { '200': { description: x } } } } }
components: { schemas: { Some: { type: object, properties: { ids: { type: array, items: { type: integer } } } } } }",
    );
    has(&imported, &["params: { ids: \"integer[]\" }", "ids: [1]"]);
}

#[test]
fn what_is_no_overlay_is_refused() {
    for (overlay, why) in [
        ("openapi: 3.0.0", "it is not an overlay of version 1"),
        ("overlay: 1.0.0", "it has no `actions`"),
        ("overlay: 1.0.0\nactions: [{ update: {} }]", "action 0 has no `target`"),
        ("overlay: 1.0.0\nactions: [{ target: paths, remove: true }]", "is no JSONPath"),
        ("overlay: 1.0.0\nactions: [{ target: $.paths }]", "neither `update` nor `remove`"),
        ("[", "neither JSON nor YAML"),
    ] {
        let refused = overlaid(overlay).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
}
