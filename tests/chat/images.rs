//! Images of the user, which a model sees on request.

use serde_json::Value;
use toolwrit_tests::servers::model::Response;

use crate::chat::desk::Desk;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and more";

/// The images of the last message of a request, as addresses.
fn shown(request: &Value) -> Vec<&str> {
    let message = request["messages"].as_array().unwrap().last().unwrap();
    let parts = message["content"].as_array().map_or(&[][..], Vec::as_slice);
    parts.iter().filter_map(|part| part["image_url"]["url"].as_str()).collect()
}

fn desk(pictures: &[(&str, &[u8])]) -> Desk {
    let desk = Desk::new([Response::text("I see."), Response::text("I see nothing.")]);
    for (name, bytes) in pictures {
        std::fs::write(desk.path(name), bytes).unwrap();
    }
    desk
}

#[test]
fn images_are_shown_only_on_request() {
    let desk = desk(&[("a.png", PNG), ("b.jpg", b"\xff\xd8\xff\xe0..")]);
    let text = "Look: ![[a.png]], ![[b.jpg|200]] and ![[missing.png]]\n";
    desk.write("Chat.md", text);
    desk.write("Other.md", text);
    assert_eq!(desk.chat(&["--links"]).code, Some(0));
    assert_eq!(desk.run(&["chat", "Other.md"]).code, Some(0));
    let requests = desk.model.requests();
    let images = shown(&requests[0]);
    assert_eq!(images.len(), 2, "{images:?}");
    assert!(images[0].starts_with("data:image/png;base64,"), "{images:?}");
    assert!(images[1].starts_with("data:image/jpeg;base64,"), "{images:?}");
    assert_eq!(shown(&requests[1]), [""; 0]);
}

#[test]
fn a_message_has_no_more_than_eight_images() {
    let desk = desk(&[("a.png", PNG)]);
    desk.write("Chat.md", &"![[a.png]] ".repeat(9));
    assert_eq!(desk.chat(&["--links"]).code, Some(0));
    assert_eq!(shown(&desk.model.requests()[0]).len(), 8);
}

#[test]
fn what_is_no_image_or_too_large_is_refused_and_nothing_is_sent() {
    let large = [PNG, &vec![0; 5 * 1024 * 1024]].concat();
    for (bytes, reason) in
        [(&b"<svg onload=x>"[..], "not an image of the types"), (&large, "5242880")]
    {
        let desk = desk(&[("a.png", bytes)]);
        desk.write("Chat.md", "Look: ![[a.png]]\n");
        let done = desk.chat(&["--links"]);
        assert_eq!(done.code, Some(1));
        assert!(done.err.contains(reason), "{}", done.err);
        assert!(desk.model.requests().is_empty());
        let text = desk.text("Chat.md");
        assert!(!text.contains("· …"), "no answer is left unfinished: {text}");
        // Once the image is gone, the question is answered.
        desk.write("Chat.md", &text.replace("![[a.png]]", "nothing"));
        assert_eq!(desk.chat(&["--links"]).code, Some(0));
    }
}
