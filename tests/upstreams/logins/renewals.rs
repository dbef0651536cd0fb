//! What is kept of logins, how tokens are renewed, and how logins end.

use std::fs;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use toolwrit_test_servers::oauth::Rules;
use toolwrit_tests::waiting;

use super::{Home, consent, errors, open, reads};

#[test]
fn a_login_is_kept_and_renewed_by_other_processes_with_the_secret_of_its_client() {
    for authentication in ["client_secret_post", "client_secret_basic", "none"] {
        let home = Home::ready(Rules { authentication, ..Rules::default() });
        // The server refuses the token, and then the token has expired.
        home.site.expire();
        home.done(&["upstream", "test", "site"]);
        home.expire();
        home.done(&["upstream", "test", "site"]);
        let (codes, renewed) = (home.grants("authorization_code"), home.grants("refresh_token"));
        assert_eq!((codes.len(), renewed.len()), (1, 2), "{authentication}");
        assert_eq!(codes[0]["resource"], home.site.url());
        assert_eq!(renewed[0]["resource"], home.site.url());
        assert_eq!(home.site.bodies("/register").len(), 1);
        let kept = home.kept();
        for (key, value) in [("url", home.site.url()), ("issuer", home.site.server.url("/tenant"))]
        {
            assert_eq!(kept[key], value, "{kept}");
        }
        assert_eq!(kept["client"]["how"], "registered");
        assert_eq!(kept["scopes"], json!(["offline_access", "read"]));
    }
}

#[cfg(unix)]
#[test]
fn what_is_kept_is_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = Home::ready(Rules::default());
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (file, folder) = (home.file(), home.file().parent().unwrap().to_owned());
    assert_eq!((mode(&file), mode(&folder)), (0o600, 0o700));
    home.expire();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let doctor = home.run(&["doctor"]);
    let found = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(found.contains("is open to other users"), "{found}");
    home.done(&["upstream", "test", "site"]);
    assert_eq!((mode(&file), mode(&folder)), (0o600, 0o700));
}

#[test]
fn more_scopes_are_asked_for_beside_those_before_and_running_servers_use_them() {
    let home = Home::ready(Rules::default());
    let mut host = home.serve();
    reads(&mut host, "site.read");
    let refused = host.read("site.write", &json!({})).error();
    assert_eq!(refused["code"], "UPSTREAM_FORBIDDEN", "{refused}");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("upstream login site --scope \"write\""), "{refused}");
    let calls =
        || home.site.bodies("/mcp").iter().filter(|body| body.contains("tools/call")).count();
    assert_eq!(calls(), 2, "a call that is forbidden is not repeated");

    let before = home.kept();
    let login = home.begin(&["--scope", "write"]);
    let asked = login.asked();
    assert_eq!(asked["scope"], "read offline_access write");
    assert_eq!(asked["redirect_uri"], before["client"]["redirect"]);
    open(&consent(&login.address));
    login.succeeded();
    assert_eq!(home.site.bodies("/register").len(), 1, "the client stays");
    reads(&mut host, "site.write");
}

#[test]
fn six_processes_renew_a_token_once() {
    let home = Home::ready(Rules::default());
    home.expire();
    home.site.expire();
    let call = || {
        let mut command = home.command(&["call", "site.read"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let calls: Vec<Child> = (0..6).map(|_| call()).collect();
    for call in calls {
        let output = call.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
    }
    assert_eq!(home.grants("refresh_token").len(), 1);
}

#[test]
fn a_login_that_has_ended_needs_the_user_and_running_servers_notice_the_next_one() {
    let home = Home::ready(Rules::default());
    let mut host = home.serve();
    reads(&mut host, "site.read");
    home.site.end_logins();
    home.expire();
    let ended = host.read("site.read", &json!({})).error();
    assert_eq!(ended["code"], "PROVIDER_UNAVAILABLE", "{ended}");
    assert!(ended["message"].as_str().unwrap().contains("invalid_grant"), "{ended}");
    assert!(ended.to_string().contains("upstream login site"), "{ended}");
    let kept = home.kept();
    assert!(kept["refresh"].is_null() && kept["access"].is_null(), "{kept}");
    assert!(!kept["client"].is_null());
    let mut refused = || host.read("site.read", &json!({})).text().to_owned();
    waiting::until("the state", || refused().contains("refuses the credentials"));
    home.log_in();
    waiting::until("a call with the new login", || !host.read("site.read", &json!({})).is_error());
    assert_eq!(home.site.bodies("/register").len(), 1);
}

#[test]
fn a_client_that_the_server_has_forgotten_is_registered_again() {
    let home = Home::ready(Rules::default());
    home.site.forget_clients();
    home.expire();
    let why = home.failed(&["upstream", "test", "site"]);
    assert!(why.contains("invalid_client"), "{why}");
    assert!(home.kept()["client"].is_null());
    home.log_in();
    assert_eq!(home.site.bodies("/register").len(), 2);
}

#[test]
fn a_server_that_fails_for_a_moment_ends_no_login() {
    let home = Home::ready(Rules {
        refuses_refresh: Some((503, "temporarily_unavailable")),
        ..Rules::default()
    });
    home.expire();
    let why = home.failed(&["upstream", "test", "site"]);
    assert!(why.contains("temporarily_unavailable"), "{why}");
    assert!(!home.kept()["refresh"].is_null());
    // What was sent is not repeated.
    assert!(home.site.secrets().iter().all(|secret| !why.contains(secret)), "{why}");
}

#[test]
fn a_logout_revokes_and_deletes() {
    let home = Home::ready(Rules::default());
    let refresh = home.kept()["refresh"].as_str().unwrap().to_owned();
    let said = errors(&home.run(&["upstream", "logout", "site"]));
    assert!(said.contains("The server has revoked the tokens"), "{said}");
    assert_eq!(home.site.revoked(), [refresh]);
    assert!(!home.file().exists());
    let again = errors(&home.run(&["upstream", "logout", "site"]));
    assert!(again.contains("Nobody was logged in to site."), "{again}");
    let why = home.failed(&["upstream", "test", "site"]);
    assert!(why.contains("Nobody has logged in."), "{why}");
}

#[test]
fn an_upstream_that_is_removed_leaves_no_login() {
    let home = Home::ready(Rules::default());
    let refresh = home.kept()["refresh"].as_str().unwrap().to_owned();
    home.run(&["upstream", "remove", "site", "--yes"]);
    assert_eq!(home.site.revoked(), [refresh]);
    assert!(!home.file().exists());
}

#[test]
fn doctor_says_what_a_login_needs() {
    let line = |home: &Home| {
        let output = home.run(&["doctor", "--json"]);
        let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = checks["checks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|check| check["check"] == "login site");
        found.unwrap_or_else(|| panic!("{checks}")).to_string()
    };
    let home = Home::ready(Rules::default());
    assert!(line(&home).contains("and then renewed"), "{}", line(&home));
    let mut kept = home.kept();
    kept["client"]["secret_expires_at"] = 1.into();
    fs::write(home.file(), kept.to_string()).unwrap();
    assert!(line(&home).contains("secret"), "{}", line(&home));
    home.run(&["upstream", "logout", "site"]);
    assert!(line(&home).contains("upstream login site"), "{}", line(&home));
    let short = Home::ready(Rules { renews: false, ..Rules::default() });
    assert!(line(&short).contains("offline_access"), "{}", line(&short));
}
