//! What the engine makes of a call besides running it: sizes, places, cancellation, answers that
//! are kept. On the laboratory's handlers.

mod blocked;
mod cancelled;
mod kept;
mod limits;
mod paged;
mod sizes;
mod unfinished;

use toolwrit_tests::client::{Client, Era};
use toolwrit_tests::program::lab;

/// The laboratory with each operation as a tool.
fn serve(flags: &[&str]) -> Client {
    let arguments = [&["serve", "--surface", "flat"], flags].concat();
    Client::connect(lab(), &arguments, Era::Initialize)
}
