//! What lists of models say, in each API.

use serde::Deserialize;
use serde_json::Value;

use super::parse_piece;
use crate::provider::failure::Failure;
use crate::provider::model::OfferedModel;

/// How an API lists its models.
pub(in crate::provider) struct Listing {
    /// The path of the first page, below the address of the API.
    pub(in crate::provider) path: &'static str,
    /// The parameter that names the next page.
    pub(in crate::provider) next: &'static str,
    pub(in crate::provider) read: fn(&str) -> Result<Page, Failure>,
}

/// A page of a list.
pub(in crate::provider) struct Page {
    pub(in crate::provider) models: Vec<OfferedModel>,
    /// What names the next page.
    pub(in crate::provider) next: Option<String>,
}

pub(super) const OPENAI: Listing = Listing { path: "models", next: "after", read: openai };
pub(super) const ANTHROPIC: Listing =
    Listing { path: "models?limit=1000", next: "after_id", read: anthropic };
pub(super) const GEMINI: Listing =
    Listing { path: "models?pageSize=1000", next: "pageToken", read: gemini };
pub(super) const OLLAMA: Listing = Listing { path: "api/tags", next: "", read: ollama };

/// The list of chat completions, with the lengths of contexts as `OpenRouter`, Groq, vLLM, Mistral and llama.cpp name them.
fn openai(page: &str) -> Result<Page, Failure> {
    #[derive(Deserialize)]
    struct List {
        data: Vec<Entry>,
    }
    #[derive(Deserialize)]
    struct Entry {
        id: String,
        #[serde(alias = "context_window", alias = "max_model_len", alias = "max_context_length")]
        context_length: Option<u64>,
        #[serde(default)]
        meta: Value,
    }
    let List { data } = parse_piece(page)?;
    let model = |Entry { id, context_length, meta }: Entry| OfferedModel {
        name: id,
        context: context_length.or_else(|| meta["n_ctx"].as_u64().or(meta["n_ctx_train"].as_u64())),
    };
    Ok(Page { models: data.into_iter().map(model).collect(), next: None })
}

fn anthropic(page: &str) -> Result<Page, Failure> {
    #[derive(Deserialize)]
    struct List {
        data: Vec<Entry>,
        #[serde(default)]
        has_more: bool,
        last_id: Option<String>,
    }
    #[derive(Deserialize)]
    struct Entry {
        id: String,
        max_input_tokens: Option<u64>,
    }
    let List { data, has_more, last_id } = parse_piece(page)?;
    let model =
        |Entry { id, max_input_tokens }| OfferedModel { name: id, context: max_input_tokens };
    Ok(Page { models: data.into_iter().map(model).collect(), next: last_id.filter(|_| has_more) })
}

fn gemini(page: &str) -> Result<Page, Failure> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct List {
        models: Vec<Entry>,
        next_page_token: Option<String>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Entry {
        name: String,
        input_token_limit: Option<u64>,
        supported_generation_methods: Option<Vec<String>>,
    }
    let List { models, next_page_token } = parse_piece(page)?;
    // Others embed texts or make pictures.
    let converses = |entry: &Entry| {
        let methods = entry.supported_generation_methods.as_ref();
        methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"))
    };
    let model = |entry: Entry| OfferedModel {
        name: entry.name.strip_prefix("models/").unwrap_or(&entry.name).to_owned(),
        context: entry.input_token_limit,
    };
    let models = models.into_iter().filter(converses).map(model).collect();
    Ok(Page { models, next: next_page_token.filter(|token| !token.is_empty()) })
}

/// The list does not have the lengths of contexts.
fn ollama(page: &str) -> Result<Page, Failure> {
    #[derive(Deserialize)]
    struct List {
        models: Vec<Entry>,
    }
    #[derive(Deserialize)]
    struct Entry {
        name: String,
    }
    let List { models } = parse_piece(page)?;
    let model = |Entry { name }| OfferedModel { name, context: None };
    Ok(Page { models: models.into_iter().map(model).collect(), next: None })
}

/// The context of a model, as Ollama describes it: `{"model_info": {"qwen3.context_length": 40960}}`.
pub(in crate::provider) fn ollama_context(description: &str) -> Option<u64> {
    let description: Value = serde_json::from_str(description).ok()?;
    let info = description["model_info"].as_object()?;
    info.iter()
        .find_map(|(name, value)| name.ends_with(".context_length").then_some(value)?.as_u64())
}
