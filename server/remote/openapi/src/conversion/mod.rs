//! What the manifest says of each part of a document.

pub(crate) mod answer;
pub(crate) mod body;
pub(crate) mod bounds;
pub(crate) mod effect;
pub(crate) mod example;
pub(crate) mod fitting;
pub(crate) mod media;
pub(crate) mod naming;
pub(crate) mod operation;
pub(crate) mod page;
pub(crate) mod parameters;
pub(crate) mod phrases;
pub(crate) mod property;
pub(crate) mod provider;
pub(crate) mod request;
pub(crate) mod sample;
pub(crate) mod security;
pub(crate) mod types;
