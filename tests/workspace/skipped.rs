//! Says after all other tests which of them were skipped, and why. It is no test, as nothing that it finds is a failure.
#![expect(clippy::print_stdout, reason = "a report")]

fn main() {
    // Nextest asks each program for its tests.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let skipped = toolwrit_requirement::skipped();
    match skipped.len() {
        0 => println!("\nNo test was skipped."),
        1 => println!("\nOne test was skipped:"),
        many => println!("\n{many} tests were skipped, or a part of them:"),
    }
    for notice in skipped {
        println!("- {notice}");
    }
}
