//! Bases on real vaults.

mod contract;
mod expressions;
mod faults;
mod hostile;
mod public;
mod sandbox;
mod sources;
mod summaries;
mod views;
