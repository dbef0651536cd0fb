//! What is wrong with a manifest, and where: problems, the report that collects them, and the texts and places that they
//! refer to.

mod problem;
mod report;
mod source;

pub use problem::{Problem, Problems, Severity};
pub(crate) use report::Report;
pub use source::{Place, Source, Sources};
