//! How logins begin: where they go, and as which client.

use std::fs;

use serde_json::json;
use toolwrit_test_servers::oauth::{Rules, Site};
use toolwrit_tests::waiting;

use super::{Home, Login, consent, errors, open};
use crate::upstreams::Setup;

/// A root without a slash is another text than one with it.
#[test]
fn the_resource_is_named_as_the_server_names_it() {
    let rules = Rules {
        path: "/",
        resource_metadata: Some("/.well-known/oauth-protected-resource"),
        ..Rules::default()
    };
    let home = Home::ready(rules);
    home.expire();
    home.done(&["upstream", "test", "site"]);
    let resource = home.site.server.url("");
    assert_eq!(home.grants("refresh_token")[0]["resource"], resource);
    assert_eq!(home.kept()["resource"], resource);
}

#[test]
fn a_server_that_refuses_resource_gets_none() {
    let rules = Rules { wants_resource: false, ..Rules::default() };
    let home =
        Home::with(rules, "login = { resource = false, params = { access_type = \"offline\" } }");
    let login = home.begin(&[]);
    assert_eq!(login.asked()["access_type"], "offline");
    open(&consent(&login.address));
    login.succeeded();
    home.expire();
    home.done(&["upstream", "test", "site"]);
    assert!(!home.grants("refresh_token")[0].contains_key("resource"));
}

#[test]
fn a_login_goes_only_where_it_is_safe() {
    for (amended, said) in [
        (json!({ "authorization_endpoint": "javascript:alert(1)" }), "`authorization_endpoint`"),
        (json!({ "authorization_endpoint": "http://login.example/" }), "`authorization_endpoint`"),
        (json!({ "token_endpoint": "http://login.example/" }), "`token_endpoint`"),
        (json!({ "registration_endpoint": "ftp://login.example/" }), "`registration_endpoint`"),
        (json!({ "revocation_endpoint": "http://login.example/" }), "`revocation_endpoint`"),
        (json!({ "code_challenge_methods_supported": ["plain"] }), "PKCE with S256"),
        (json!({ "issuer": "https://evil.example" }), "issuer mismatch"),
        (json!({ "more": "m".repeat(1024 * 1024) }), "the answer is larger than 1 MiB"),
    ] {
        let home = Home::new(Rules { amended, ..Rules::default() });
        let why = home.failed(&["upstream", "login", "site", "--no-browser"]);
        assert!(why.contains(said), "{why}");
        assert!(!why.contains("javascript"), "{why}");
    }
    let site = Site::serve(Rules::default());
    let setup = Setup::new(&format!("[upstreams.site]\nurl = \"{}\"\nlogin = true\n", site.url()));
    let output = setup.run(&["upstream", "login", "site", "--no-browser"]);
    assert!(
        errors(&output).contains("`networks = [\"127.0.0.1\"]` allows it"),
        "{}",
        errors(&output)
    );
    assert!(site.server.requests().is_empty());
}

#[test]
fn codes_and_tokens_follow_no_redirect_and_no_other_address() {
    let home = Home::new(Rules { token: "/moved", ..Rules::default() });
    let login = home.begin(&[]);
    open(&consent(&login.address));
    login.failed();
    assert_eq!((home.site.bodies("/moved").len(), home.site.bodies("/token").len()), (1, 0));

    let home = Home::ready(Rules::default());
    let configuration = fs::read_to_string(&home.setup.config).unwrap();
    fs::write(&home.setup.config, configuration.replace("/mcp\"", "/mcp?tenant=b\"")).unwrap();
    let before = home.site.server.requests().len();
    let why = home.failed(&["upstream", "test", "site"]);
    assert!(why.contains("Nobody has logged in."), "{why}");
    assert_eq!(home.site.server.requests().len(), before);
}

/// Servers that were written before RFC 9728.
#[test]
fn servers_without_metadata_of_their_own_are_found_or_refused() {
    let rules = Rules {
        resource_metadata: None,
        metadata: Some("/.well-known/openid-configuration"),
        issuer: "",
        ..Rules::default()
    };
    let home = Home::ready(rules);
    assert_eq!(home.grants("authorization_code")[0]["resource"], home.site.url());
    let silent = Home::new(Rules { resource_metadata: None, metadata: None, ..Rules::default() });
    let why = silent.failed(&["upstream", "login", "site", "--no-browser"]);
    assert!(why.contains("says nothing about logins"), "{why}");
    let lines = silent.site.server.lines();
    assert!(lines.iter().all(|line| !line.contains("authorize")), "{lines:?}");
}

#[test]
fn the_issuer_may_be_named_for_a_server_that_names_none() {
    let home = Home::new(Rules { resource_metadata: None, ..Rules::default() });
    let issuer = home.site.server.url("/tenant");
    home.reconfigure(&format!("login = {{ issuer = \"{issuer}\" }}"));
    home.log_in();
    assert_eq!(home.grants("authorization_code")[0]["resource"], home.site.url());
}

#[test]
fn a_client_of_the_operator_is_used_and_its_secret_is_not_copied() {
    let rules =
        Rules { registers: false, authentication: "client_secret_basic", ..Rules::default() };
    let home = Home::new(rules);
    let why = home.failed(&["upstream", "login", "site", "--no-browser"]);
    assert!(why.contains("registers no clients") && why.contains("`client_id`"), "{why}");
    // A free port, which the test gives back.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let redirect = format!("http://localhost:{port}/callback");
    home.site.register("own app", "own/s3cret value", &redirect);
    let secret = home.setup.folder.path().join("secret");
    fs::write(&secret, "own/s3cret value\n").unwrap();
    home.reconfigure(&format!(
        "login = {{ client_id = \"own app\", client_secret = {{ file = \"secret\" }}, redirect = \"{redirect}\" }}"
    ));
    home.log_in();
    home.expire();
    home.done(&["upstream", "test", "site"]);
    assert_eq!(home.grants("refresh_token").len(), 1);
    assert!(!fs::read_to_string(home.file()).unwrap().contains("s3cret value"));
    let busy = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
    let why = home.failed(&["upstream", "login", "site", "--no-browser"]);
    assert!(why.contains(&format!("The port {port} of the redirect cannot be used")), "{why}");
    drop(busy);
}

#[test]
fn a_busy_port_needs_another_registration() {
    let home = Home::ready(Rules::default());
    let redirect = home.kept()["client"]["redirect"].as_str().unwrap().to_owned();
    let address = redirect.strip_prefix("http://").unwrap().strip_suffix("/callback").unwrap();
    let busy = std::net::TcpListener::bind(address).unwrap();
    home.log_in();
    drop(busy);
    assert_eq!(home.site.bodies("/register").len(), 2);
    assert_ne!(home.kept()["client"]["redirect"], redirect);
}

/// The address is opened as an argument of the program that opens addresses, not by a shell.
#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_opened() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = Home::new(Rules::default());
    let tools = tempfile::tempdir().unwrap();
    let (program, opened) = (tools.path().join("xdg-open"), tools.path().join("opened"));
    nix::unistd::mkfifo(&opened, nix::sys::stat::Mode::S_IRWXU).unwrap();
    fs::write(&program, format!("#!/bin/sh\necho \"$1\" > '{}'\n", opened.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = home.command(&["upstream", "login", "site"]);
    command.env("PATH", tools.path());
    let login = Login::begin(command);
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(fs::read_to_string(opened).unwrap()));
    let address = receive.recv_timeout(waiting::TIMEOUT).expect("nothing was opened");
    assert_eq!(address.trim(), login.address);
    open(&consent(address.trim()));
    login.succeeded();
}
