//! Bases on real vaults.

mod expressions;
mod hostile;
mod sandbox;
mod views;
