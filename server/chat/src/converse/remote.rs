//! Models from their settings.

use crate::provider::{RemoteModel, RemoteModelOptions};

use crate::converse::problem::Problem;
use crate::converse::settings::ModelTable;

/// Makes a model of what the operator says. Connects to nothing.
///
/// # Errors
/// If the key is missing, or the address cannot be used.
pub fn create_model(name: &str, table: &ModelTable) -> Result<RemoteModel, Problem> {
    let wrong = |message: String| Problem::Model { name: name.to_owned(), message };
    let key = match &table.key_env {
        None => None,
        Some(variable) => {
            let key = std::env::var(variable).unwrap_or_default();
            // Files of keys often end with a line end.
            let key = key.trim();
            if key.is_empty() {
                return Err(wrong(format!(
                    "the environment variable {variable}, which has its key, is not set"
                )));
            }
            if !key.chars().all(|c| c.is_ascii_graphic()) {
                return Err(wrong(format!(
                    "the environment variable {variable} has characters that no key has, such as a space"
                )));
            }
            Some(key.to_owned())
        }
    };
    let dialect = table.dialect.parse().map_err(|error| wrong(format!("{error}")))?;
    RemoteModel::new(RemoteModelOptions {
        name: name.to_owned(),
        dialect,
        model: table.model.clone(),
        base_url: table.base_url.clone(),
        networks: table.networks.clone(),
        key,
        key_env: table.key_env.clone(),
        max_tokens: table.max_tokens,
        context: table.context,
        thinks: table.thinks,
        price: table.price.as_ref().map(crate::converse::settings::PriceTable::to_price),
    })
    .map_err(|error| wrong(error.to_string()))
}
