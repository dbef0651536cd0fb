//! An operation of the manifest.

use crate::conversion::answer::{Answer, Answered, convert_answer};
use crate::conversion::body::BodyReader;
use crate::conversion::effect::guess_effect;
use crate::conversion::example::example_arguments;
use crate::conversion::naming::Id;
use crate::conversion::page::recognize_page;
use crate::conversion::parameters::ParameterReader;
use crate::conversion::phrases::{derive_asks, describe_endpoint};
use crate::conversion::types::Types;
use crate::document::endpoint::Endpoint;
use crate::language::shape::{Field, Shape};
use crate::language::yaml::{Mapping, Yaml};
use crate::losses::{Kind, Losses};

/// A converted operation.
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) category: String,
    pub(crate) written: Mapping,
    /// The shapes of its parameters.
    pub(crate) sent: Vec<Shape>,
    /// The shape of its result.
    pub(crate) received: Option<Shape>,
}

/// Converts an operation; `None` if its path cannot be written.
pub(crate) fn convert_operation(
    endpoint: &Endpoint<'_>,
    id: &Id,
    credentials: &[&str],
    types: &mut Types,
    losses: &mut Losses,
) -> Option<Operation> {
    let hint = endpoint.id.map_or_else(|| id.words.join("_"), str::to_owned);
    let mut reader = ParameterReader { types, losses, hint: &hint, credentials };
    let mut request =
        reader.read_request(endpoint.method, endpoint.path, &endpoint.item, &endpoint.node)?;
    BodyReader { types, losses, hint: &hint }.read(&endpoint.node, &mut request);
    for (owner, key) in
        [(&endpoint.item, "servers"), (&endpoint.node, "servers"), (&endpoint.node, "callbacks")]
    {
        if let Some(ignored) = owner.raw(key) {
            let message = if key == "servers" {
                "sent to the provider's URL"
            } else {
                "left out: the API calls it"
            };
            losses.add(Kind::Operation, &ignored.location(), message);
        }
    }
    let Answered { answer, response, accept } =
        convert_answer(&endpoint.node, &hint, types, losses);
    request.accept = accept;
    let page = match &answer {
        Answer::Value(shape) => {
            recognize_page(&mut request, shape, response.as_ref(), &types.declared)
        }
        _ => None,
    };
    request.shrink(&types.declared, losses);

    let last = endpoint.path.rsplit('/').next().unwrap_or_default();
    let effect = guess_effect(endpoint.method, &id.words, last);
    let (summary, description) = describe_endpoint(endpoint, &id.words, losses);
    let mut written = Mapping::block();
    let review = summary.is_cut.then_some("cut");
    written.maybe_guess("summary", summary.text.as_str(), review);
    if let Some(description) = description {
        written.add("description", description);
    }
    written.maybe_guess("effect", effect.word, effect.why);
    if effect.is_idempotent {
        written.add("idempotent", true);
    }
    if effect.overwrites {
        written.add("overwrites", true);
    }
    if effect.word == "destroy" {
        written.add("confirm", true);
    }
    if endpoint.node.flag("deprecated") == Some(true) {
        written.add("deprecated", "The document of the API says so.");
    }
    let asks: Vec<Yaml> =
        derive_asks(&summary.text, &id.words).into_iter().map(Yaml::from).collect();
    written.guess("asks", asks, "add how your users ask");
    let fields = request.fields();
    if !fields.is_empty() {
        written.add("params", types.declared.write_fields(&fields));
    }
    add_example(&mut written, types, &fields);

    let mut binding = Mapping::default();
    binding.extend(request.write_binding(&types.declared, losses));
    let sent = fields.into_iter().map(|field| field.shape).collect();
    let received = match (page, answer) {
        (Some(page), _) => {
            let mut sizes = Mapping::default();
            sizes.add("default", page.default);
            sizes.add("max", page.max);
            written.guess("page", sizes, "from the names of the parameters");
            written.add("returns", types.declared.type_expression(&page.returns));
            binding.add("page", page.binding);
            if let Some(list) = page.list {
                let mut each = Mapping::default();
                each.add("each", list);
                binding.add("result", each);
            }
            Some(page.returns)
        }
        (None, Answer::Value(shape)) => {
            written.add("returns", types.declared.type_expression(&shape));
            Some(shape)
        }
        (None, Answer::Text) => {
            written.add("returns", "string");
            binding.add("result", "text");
            None
        }
        (None, Answer::Nothing) => None,
    };
    written.add("http", binding);
    let id = format!("{}.{}", id.category, id.name);
    let category = id.split('.').next().unwrap_or_default().to_owned();
    Some(Operation { id, category, written, sent, received })
}

fn add_example(written: &mut Mapping, types: &Types, fields: &[Field]) {
    let Some(arguments) =
        example_arguments(&types.declared, fields).filter(|arguments| !arguments.is_empty())
    else {
        return;
    };
    let mut example = Mapping::default();
    example.add("args", &serde_json::Value::Object(arguments));
    written.guess(
        "examples",
        vec![Yaml::from(example)],
        "made of examples and types of the document",
    );
}
