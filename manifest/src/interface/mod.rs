//! How operations are described to models: the JSON Schemas of their parameters and results, and their signatures.

pub mod json_schema;
pub mod signature;
