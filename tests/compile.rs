//! The compiler's messages for an invalid manifest or handler. The rules are in `ui/fail/README.md`.

#[test]
fn mistakes_are_reported_at_their_places() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/fail/*.rs");
    #[cfg(not(feature = "commands"))]
    cases.compile_fail("ui/fail/without-commands/*.rs");
    #[cfg(not(feature = "upstreams"))]
    cases.compile_fail("ui/fail/without-upstreams/*.rs");
}
