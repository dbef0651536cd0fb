//! The commands, a file or folder each.

#[cfg(feature = "sqlite")]
pub(crate) mod audit;
#[cfg(feature = "browser")]
pub(crate) mod browse;
pub(crate) mod call;
#[cfg(feature = "chat")]
pub(crate) mod chat;
#[cfg(feature = "authoring")]
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod context;
pub(crate) mod describe;
#[cfg(feature = "docs")]
pub(crate) mod docs;
pub(crate) mod doctor;
#[cfg(feature = "chat")]
pub(crate) mod export;
#[cfg(feature = "clients")]
pub(crate) mod files;
#[cfg(any(feature = "authoring", feature = "upstreams"))]
pub(crate) mod import;
#[cfg(feature = "clients")]
pub(crate) mod install;
pub(crate) mod list;
pub(crate) mod listing;
#[cfg(feature = "lsp")]
pub(crate) mod lsp;
#[cfg(feature = "sqlite")]
pub(crate) mod metrics;
#[cfg(feature = "postgres")]
pub(crate) mod migrate;
#[cfg(feature = "authoring")]
pub(crate) mod scaffold;
#[cfg(feature = "authoring")]
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod serve;
#[cfg(feature = "http")]
pub(crate) mod token;
#[cfg(feature = "authoring")]
pub(crate) mod tokens;
#[cfg(feature = "upstreams")]
pub(crate) mod upstream;
#[cfg(feature = "clients")]
pub(crate) mod welcome;

use crate::program::Verb;

/// The commands of every program.
pub(crate) const VERBS: &[Verb] = &[
    #[cfg(feature = "clients")]
    install::VERB,
    #[cfg(feature = "clients")]
    install::UNINSTALL,
    serve::VERB,
    call::VERB,
    list::VERB,
    search::VERB,
    context::VERB,
    describe::VERB,
    #[cfg(feature = "browser")]
    browse::VERB,
    #[cfg(feature = "lsp")]
    lsp::VERB,
    #[cfg(feature = "sqlite")]
    audit::VERB,
    #[cfg(feature = "sqlite")]
    metrics::VERB,
    #[cfg(feature = "postgres")]
    migrate::VERB,
    #[cfg(feature = "http")]
    token::VERB,
    #[cfg(feature = "authoring")]
    check::VERB,
    #[cfg(feature = "authoring")]
    schema::VERB,
    #[cfg(feature = "authoring")]
    scaffold::VERB,
    #[cfg(any(feature = "authoring", feature = "upstreams"))]
    import::VERB,
    #[cfg(feature = "authoring")]
    tokens::VERB,
    #[cfg(feature = "docs")]
    docs::VERB,
    #[cfg(feature = "chat")]
    export::VERB,
    #[cfg(feature = "upstreams")]
    upstream::VERB,
    #[cfg(feature = "clients")]
    files::VERB,
    doctor::VERB,
    completions::VERB,
];
