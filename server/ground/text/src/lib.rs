//! Rules of text that several crates share, each of them once.
//!
//! [`hidden`] says which characters people cannot see, and [`visible`] escapes them in texts that other programs send.
//! [`shorten`] shortens texts, [`nearest`] finds the name that somebody may have meant, [`hex`] writes bytes, [`yaml`] quotes
//! scalars, [`wildcard`] matches patterns with `*`, [`numbers`] keeps
//! numbers as they were written, and [`to_sentence`] makes sentences of the words of errors. With the feature
//! `secrets`, [`Secrets`] removes what the operator must not lose.

pub mod hex;
pub mod hidden;
mod media_type;
pub mod nearest;
pub mod numbers;
#[cfg(feature = "secrets")]
mod secrets;
mod sentence;
pub mod shorten;
pub mod visible;
pub mod wildcard;
pub mod yaml;

pub use media_type::media_type;
#[cfg(feature = "secrets")]
pub use secrets::{Secrets, names_secret};
pub use sentence::{capitalise, to_sentence};
