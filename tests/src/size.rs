//! How much is done by tests that are slow by design.

/// The number for a quick run, which is the default, or that for a full one, which a nightly run asks for by setting
/// `TOOLWRIT_TESTS` to `full`.
pub fn number<T>(quick: T, full: T) -> T {
    match std::env::var("TOOLWRIT_TESTS").as_deref() {
        Err(_) | Ok("") => quick,
        Ok("full") => full,
        Ok(other) => panic!("TOOLWRIT_TESTS is {other}, and its only value is full"),
    }
}
