//! The Rust of the page `observing`.

use toolwrit::Context;

struct Request;

impl Request {
    fn header(self, _: &str, _: String) -> Self {
        self
    }

    fn send(self) {}
}

fn traced(cx: &Context, request: Request) {
    let request = match cx.traceparent() {
        Some(parent) => request.header("traceparent", parent),
        None => request,
    };
    request.send();
}
