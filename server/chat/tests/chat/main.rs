//! Tests of conversations in notes.

mod desk;
mod editing;
mod formats;
mod hostile;
mod older;
mod resuming;
mod turns;
