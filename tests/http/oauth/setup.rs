//! Settings for an authorization server, and its discovery by clients.

use jsonwebtoken::Algorithm;
use serde_json::{Value, json};

use super::{PING, challenge, ping};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;
use toolwrit_tests::servers::issuer::{AUDIENCE, Issuer, Key};

const DOCUMENT: &str = "/.well-known/oauth-protected-resource";

#[test]
fn clients_find_the_authorization_server() {
    let issuer = Issuer::publishing(&[]);
    let home = Home::new();
    let server = home.serve(lab(), &issuer.flags(&["lab:all=owner", "lab:use=owner"]));
    let missing = server.post("", &[], PING);
    assert_eq!(missing.status, 401);
    assert_eq!(
        challenge(&missing),
        "Bearer realm=\"lab\", scope=\"lab:all lab:use\", resource_metadata=\
         \"https://lab.example/.well-known/oauth-protected-resource/mcp\""
    );
    assert!(missing.error()["hint"].as_str().unwrap().contains(&issuer.url));
    for path in ["", "/mcp", "/mcp/flat"] {
        let found = server.get(&format!("{DOCUMENT}{path}"), &[]);
        assert_eq!(found.status, 200);
        assert_eq!(found.headers["content-type"], "application/json");
        assert_eq!(
            found.json(),
            json!({
                "resource": AUDIENCE,
                "authorization_servers": [issuer.url],
                "scopes_supported": ["lab:all", "lab:use"],
                "bearer_methods_supported": ["header"],
                "resource_name": "lab",
            })
        );
    }
    // The host of the audience is an allowed name of this server.
    assert_eq!(server.get(DOCUMENT, &[("host", "lab.example")]).status, 200);
    assert_eq!(server.get(DOCUMENT, &[("host", "other.example")]).status, 403);
    assert_eq!(server.get(DOCUMENT, &[("origin", "https://evil.example")]).status, 403);
    drop(server);
    assert_eq!(home.serve(lab(), &[]).get(DOCUMENT, &[]).status, 404);
}

#[test]
fn own_tokens_are_accepted_beside_oauth_tokens() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    let own = home.token(lab(), "owner");
    let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
    assert_eq!(ping(&server, &own).status, 200);
    assert_eq!(ping(&server, &key.sign(&issuer.claims())).status, 200);
    assert_eq!(ping(&server, "twt_").status, 401);
    let in_query = format!("?access_token={}", key.sign(&issuer.claims()));
    assert_eq!(server.post(&in_query, &[], PING).status, 400);
}

#[test]
fn with_an_authorization_server_the_server_may_listen_beyond_loopback() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    let serve = [&["serve", "--http", "0.0.0.0:0"][..], &issuer.flags(&["lab:use=owner"])];
    let server = Server::start(home.command(lab(), &serve.concat()));
    assert_eq!(server.post("", &[], PING).status, 401);
    assert_eq!(ping(&server, &key.sign(&issuer.claims())).status, 200);
}

#[test]
fn insecure_oauth_settings_are_refused() {
    let home = Home::new();
    let issuer = ["--oauth-issuer", "https://auth.example"];
    let audience = ["--oauth-audience", AUDIENCE];
    let scope = ["--oauth-scope", "lab:use=owner"];
    for (flags, code, says) in [
        ([&issuer[..], &scope].concat(), 3, "--oauth-audience is missing"),
        ([&issuer[..], &audience].concat(), 3, "--oauth-scope is missing"),
        ([&audience[..], &scope].concat(), 3, "--oauth-issuer is missing"),
        ([&issuer[..], &audience, &["--oauth-scope", "a=ownre"]].concat(), 3, "`owner`"),
        ([&issuer[..], &audience, &["--oauth-scope", "a"]].concat(), 2, "SCOPE=ROLE"),
        ([&issuer[..], &audience, &["--oauth-scope", "a\"b=owner"]].concat(), 2, "scope"),
        (vec!["--oauth-issuer", "http://auth.example"], 2, "https"),
        (vec!["--oauth-issuer", "auth.example"], 2, "https"),
        (vec!["--oauth-audience", "https://lab.example/mcp#x"], 2, "fragment"),
        (vec!["--oauth-jwks", "http://192.0.2.1/keys"], 2, "https"),
    ] {
        let flags = [&["serve", "--http", "127.0.0.1:0"][..], &flags].concat();
        let refused = home.command(lab(), &flags).output().unwrap();
        assert_eq!(refused.status.code(), Some(code), "{flags:?}: {refused:?}");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(says), "{flags:?}: {said}");
    }
}

#[test]
fn doctor_checks_the_authorization_server() {
    let issuer = Issuer::publishing(&[&Key::new("k", Algorithm::EdDSA)]);
    let home = Home::new();
    let doctor = |flags: &[&str]| {
        let flags = [&["doctor", "--json", "--http", "0.0.0.0:0"], flags].concat();
        let said = home.command(lab(), &flags).output().unwrap();
        let report: Value = serde_json::from_slice(&said.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap().clone();
        let status = |name: &str| {
            let found = checks.iter().find(|check| check["check"] == name);
            found.map(|check| check["status"].as_str().unwrap().to_owned())
        };
        (status("tokens").unwrap(), status("oauth"))
    };
    let good = issuer.flags(&["lab:use=owner"]);
    let finding = |status: &str| Some(status.to_owned());
    assert_eq!(doctor(&[]), ("fail".to_owned(), None));
    assert_eq!(doctor(&good), ("ok".to_owned(), finding("ok")));
    assert_eq!(doctor(&good[..4]).1, finding("fail"));
    issuer.publish(&[]);
    assert_eq!(doctor(&good).1, finding("fail"));
    issuer.set_down(true);
    assert_eq!(doctor(&good).1, finding("fail"));
}

#[test]
fn the_configuration_file_has_the_same_settings() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    let file = home.path().join("config.toml");
    let text = format!(
        "oauth_issuer = \"{}\"\noauth_audience = \"{AUDIENCE}\"\n\
         oauth_scope = [\"lab:all=owner\", \"lab:use=owner\"]\nsessions = 4\n",
        issuer.url
    );
    std::fs::write(&file, text).unwrap();
    let server = home.serve(lab(), &["--config", file.to_str().unwrap()]);
    assert_eq!(server.post("", &[], PING).status, 401);
    assert_eq!(ping(&server, &key.sign(&issuer.claims())).status, 200);
}
