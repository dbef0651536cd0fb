//! The protocol and the surfaces, with clients of our own and of others.

mod agents;
mod checkers;
mod clients;
mod conformance;
mod contexts;
mod discovery;
mod fetching;
mod openapi;
mod protocol;
mod resources_and_prompts;
mod schema_agreement;
mod surfaces;
