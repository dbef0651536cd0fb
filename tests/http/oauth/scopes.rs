//! The permissions of a token: scopes give roles.

use jsonwebtoken::Algorithm;
use serde_json::{Value, json};
use toolwrit_tests::vaults;

use super::{challenge, ping};
use crate::http::access::{self, try_everything};
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::{lab, toolwrit};
use toolwrit_tests::servers::issuer::{Issuer, Key};

const ROLES: [&str; 3] = ["vault:admin=owner", "vault:edit=editor", "vault:read=reader"];

#[test]
fn a_token_without_a_known_scope_gets_the_list_of_scopes() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    let server = home.serve(lab(), &issuer.flags(&["lab:all=owner", "lab:use=owner"]));
    for changes in [
        json!({"scope": null}),
        json!({"scope": ""}),
        json!({"scope": "openid"}),
        json!({"scope": "LAB:USE lab lab:user"}),
        json!({"scope": "lab:use,lab:all"}),
        json!({"scope": null, "scp": ["openid"], "roles": ["lab:use"]}),
    ] {
        let answer = ping(&server, &key.sign(&issuer.claims_with(&changes)));
        assert_eq!(answer.status, 403, "{changes}: {answer:?}");
        assert_eq!(
            challenge(&answer),
            "Bearer realm=\"lab\", error=\"insufficient_scope\", scope=\"lab:all lab:use\", \
             resource_metadata=\"https://lab.example/.well-known/oauth-protected-resource/mcp\""
        );
    }
    for nonsense in [json!(7), json!({"lab:use": true}), json!([1])] {
        let answer = ping(&server, &key.sign(&issuer.claims_with(&json!({ "scope": nonsense }))));
        assert_eq!(answer.status, 401, "{answer:?}");
    }
}

#[test]
fn the_first_scope_of_the_operators_list_wins() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let (home, vault) = (Home::new(), vaults::empty());
    let folder = vault.path().to_str().unwrap();
    let role = |flags: &[&str], scope: &str| -> Value {
        let flags = [&issuer.flags(&ROLES), &["--vault", folder][..], flags].concat();
        let server = home.serve(toolwrit(), &flags);
        let token = key.sign(&issuer.claims_with(&json!({ "scope": scope })));
        server.client("/meta").bearing(&token).call("introspect", &json!({})).ok()["role"].take()
    };
    assert_eq!(role(&[], "vault:read"), "reader");
    assert_eq!(role(&[], "vault:read vault:edit"), "editor");
    assert_eq!(role(&[], "vault:read vault:admin vault:edit"), "owner");
    // The operator's role limits the role of every scope.
    let server = home.serve(
        toolwrit(),
        &[&issuer.flags(&ROLES), &["--vault", folder, "--role", "reader"][..]].concat(),
    );
    let token = key.sign(&issuer.claims_with(&json!({"scope": "vault:admin"})));
    let write = json!({"path": "New", "content": "x"});
    let capped = server.client("/flat").bearing(&token);
    assert_eq!(capped.call("vault_write", &write).code(), "TOOL_NOT_FOUND");
}

#[test]
fn a_readers_scope_changes_nothing_through_any_path() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let (home, vault) = (Home::new(), access::vault());
    let folder = vault.path().to_str().unwrap();
    let flags = [&issuer.flags(&ROLES), &["--vault", folder][..]].concat();
    let server = home.serve(toolwrit(), &flags);
    let before = vaults::contents(vault.path());
    let token = |scope| key.sign(&issuer.claims_with(&json!({ "scope": scope })));
    let operations = access::operations(&home);
    try_everything(&server, &token("vault:read openid"), &operations);
    assert_eq!(before, vaults::contents(vault.path()));
    let owner = server.client("/flat").bearing(&token("vault:admin"));
    owner.call("vault_write", &json!({"path": "New", "content": "x"})).ok();
    assert_ne!(before, vaults::contents(vault.path()));
}
