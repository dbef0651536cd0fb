//! The server, its categories, providers and errors.

use toolwrit_rows::{Category, DeclaredError, DeclaredProvider, Joining, ServerInfo};

use super::{json, position};
use crate::model::{self, Model};

pub(super) fn server(model: &Model, version: &str) -> ServerInfo {
    let server = &model.server;
    ServerInfo {
        name: server.name.clone(),
        title: server.title.clone(),
        version: version.to_owned(),
        instructions: server.instructions.clone(),
        prefix: model.wire_prefix(),
        env: server.env.clone(),
        logging: server.logging,
    }
}

pub(super) fn category(category: &model::Category) -> Category {
    Category {
        name: category.name.clone(),
        title: category.title.clone(),
        summary: category.summary.clone(),
        keywords: category.keywords.clone(),
        wire_name: category.wire_name.clone(),
        direct: category.direct,
        instance: category.instance.clone(),
    }
}

/// A provider that may add operations to a category.
pub(super) fn joining(joining: model::Joining) -> Joining {
    Joining {
        category: position(joining.category.index()),
        provider: position(joining.provider.index()),
        most: joining.most,
        whole: false,
    }
}

pub(super) fn provider(provider: &model::Provider) -> DeclaredProvider {
    DeclaredProvider {
        name: provider.name.clone(),
        title: provider.title.clone(),
        summary: provider.summary.clone(),
        binding: provider.binding.as_ref().map(|binding| json(&binding.table)),
    }
}

pub(super) fn error(error: &model::ErrorDef) -> DeclaredError {
    DeclaredError {
        code: error.name.clone(),
        summary: error.summary.clone(),
        hint: error.hint.clone(),
        retryable: error.retryable,
    }
}
