//! The compiler's messages for an invalid manifest or handler. The rules are in `fail/README.md`.

#[test]
fn mistakes_are_reported_at_their_places() {
    let cases = trybuild::TestCases::new();
    for folder in ["fail", "fail/without-commands", "fail/without-upstreams"] {
        cases.compile_fail(format!("{folder}/*.rs"));
    }
}
