//! The compiler's messages for an invalid manifest or handler. The rules are in `ui/fail/README.md`.

#[test]
fn mistakes_are_reported_at_their_places() {
    trybuild::TestCases::new().compile_fail("ui/fail/*.rs");
}
