//! When a token is required, and that changes of the token file apply immediately.

use std::fs::File;

use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn status(server: &Server, token: Option<&str>) -> u16 {
    let credential = token.map(|token| format!("Bearer {token}"));
    let headers = credential.iter().map(|credential| ("authorization", credential.as_str()));
    server.post("", &headers.collect::<Vec<_>>(), PING).status
}

#[test]
fn an_empty_token_file_still_requires_tokens() {
    let home = Home::new();
    let file = home.path().join("tokens.toml");
    let flags = ["--tokens", file.to_str().unwrap()];
    File::create(&file).unwrap();
    let server = home.serve(lab(), &flags);
    assert_eq!(status(&server, None), 401);
    // A new token is accepted without a restart.
    let made = ["token", "new", "--role", "owner", flags[0], flags[1]];
    let made = home.command(lab(), &made).output().unwrap();
    let token = String::from_utf8(made.stdout).unwrap();
    assert_eq!((status(&server, Some(token.trim())), status(&server, None)), (200, 401));
}

#[test]
fn revoking_the_last_token_still_requires_tokens_after_a_restart() {
    let home = Home::new();
    let token = home.token(lab(), "owner");
    let revoked = home.command(lab(), &["token", "revoke", "owner"]).output().unwrap();
    assert!(revoked.status.success(), "{revoked:?}");
    let server = home.serve(lab(), &[]);
    assert_eq!((status(&server, None), status(&server, Some(&token))), (401, 401));
    drop(server);
    // To open the server again, the operator removes the file.
    std::fs::remove_file(home.path().join("data/lab/tokens.toml")).unwrap();
    assert_eq!(status(&home.serve(lab(), &[]), None), 200);
}

#[test]
fn a_token_file_with_an_unchanged_stamp_is_read_again() {
    let home = Home::new();
    let token = home.token(lab(), "owner");
    let file = home.path().join("data/lab/tokens.toml");
    let server = home.serve(lab(), &[]);
    assert_eq!(status(&server, Some(&token)), 200);

    // The digest of another token, with the same file size and time.
    let modified = std::fs::metadata(&file).unwrap().modified().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let at = text.find("sha256 = \"").unwrap() + "sha256 = \"".len();
    let other = format!("{}{}{}", &text[..at], "0".repeat(64), &text[at + 64..]);
    std::fs::write(&file, other).unwrap();
    File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    assert_eq!(status(&server, Some(&token)), 401);
}
