//! The server, its categories and providers, and what else is not about a single operation.

use serde::{Deserialize, Serialize};
use toolwrit_words::Effect;

use super::parse_row_text;

/// How the server presents itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerInfo {
    /// Programmatic name.
    pub name: String,
    /// Name for people.
    pub title: Option<String>,
    /// Version of the crate that holds the authority.
    pub version: String,
    /// Instructions for the model.
    pub instructions: Option<String>,
    /// The prefix of every wire name, including `_`; empty for none.
    pub prefix: String,
    /// The first word of the environment variables that set its flags, such as `TOOLWRIT`.
    pub env: String,
    /// Whether handlers send log messages to clients that ask for them.
    pub logging: bool,
}

/// Ceilings for the cost of `tools/list`, in o200k tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// For the flat surface.
    pub flat: Option<u64>,
    /// For the dispatch surface.
    pub dispatch: Option<u64>,
    /// For the meta surface.
    pub meta: Option<u64>,
}

/// A family of operations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Category {
    /// The manifest's name.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// The words that people use for its subject.
    pub keywords: Vec<String>,
    /// Its name on the wire, without the server's prefix.
    pub wire_name: String,
    /// Whether its operations are separate tools on the dispatch surface.
    pub direct: bool,
    /// The parameter that selects one of several instances of what its operations are about, if the application may
    /// serve several.
    pub instance: Option<String>,
}

/// A provider that may add operations to a category at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joining {
    /// Position of the category.
    pub category: u16,
    /// Position of the provider.
    pub provider: u16,
    /// The strongest effect of these operations.
    pub most: Effect,
    /// Whether the category has no other operations. Their ids are then `category.name`.
    pub whole: bool,
}

/// A provider: something outside the server that some operations need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeclaredProvider {
    /// The manifest's name.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// How it is reached, if operations are bound to it: the JSON of a `ProviderTable` of `toolwrit-bindings`.
    pub binding: Option<String>,
}

impl DeclaredProvider {
    /// Returns the names of the settings that the operator gives it; `None` if nothing is bound to it.
    pub fn settings(&self) -> Option<Vec<String>> {
        let table: serde_json::Value = parse_row_text(self.binding.as_deref()?);
        // The table stands under the kind of the provider.
        let settings = table.as_object()?.values().next()?["settings"].as_array()?;
        let names = settings.iter().filter_map(|setting| setting["name"].as_str());
        Some(names.map(str::to_owned).collect())
    }
}

/// An error code that the author declares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeclaredError {
    /// The code on the wire.
    pub code: String,
    /// One sentence.
    pub summary: String,
    /// How a caller can fix it.
    pub hint: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

/// A file of the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The path as written in the root file.
    pub path: String,
    /// The text of the file.
    pub text: String,
}
