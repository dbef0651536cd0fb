//! JSON values of the types of a model: whether a value fits its type, the example call of an operation, and calls by
//! older names.

mod example;
mod fits;
mod older_call;

pub use example::example;
pub(crate) use fits::fits_with;
pub use fits::{Mismatch, fits};
pub use older_call::{OlderCall, older_call};
