//! Hostile input, crowds, `kill -9`, and a second writer.

mod crash;
mod hostile;
mod load;
mod soak;
