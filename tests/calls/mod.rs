//! Sizes, concurrency, cancellation and caching of calls, with the laboratory's handlers.

mod blocked;
mod cancelled;
mod kept;
mod limits;
mod paged;
mod sizes;
mod unfinished;

use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::program::lab;

/// The laboratory on the flat surface.
fn serve(flags: &[&str]) -> Client {
    let arguments = [&["serve", "--surface", "flat"], flags].concat();
    Client::connect(lab(), &arguments, Era::Initialize)
}
