//! The key is sent only to a server with the configured certificate.

use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

use super::api::{Api, Certificate, KEY, client};

fn vault() -> TempDir {
    let folder = vaults::empty();
    fs::write(folder.path().join("Told.md"), "x\n").unwrap();
    folder
}

fn flags(api: &Api, certificate: &str) -> Vec<String> {
    ["--obsidian-url", &api.url(), "--obsidian-cert", certificate].map(str::to_owned).to_vec()
}

/// Runs a command of the shipped program on a vault, with the key.
fn run(vault: &TempDir, key: &str, arguments: &[&str]) -> Output {
    let data = TempDir::new().unwrap();
    let mut command = Command::new(toolwrit());
    command.args(arguments).arg("--vault").arg(vault.path());
    command.env("TOOLWRIT_OBSIDIAN_API_KEY", key).env("TOOLWRIT_DATA_DIR", data.path());
    command.env("XDG_CACHE_HOME", data.path());
    command.env("TOOLWRIT_LOG", "trace").output().unwrap()
}

#[test]
fn the_certificate_is_given_by_file_or_fingerprint() {
    let (vault, certificate) = (vault(), Certificate::new());
    let api = Api::showing(&certificate, "Told.md");
    let plain = certificate.fingerprint();
    let pairs: Vec<&str> =
        plain.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap()).collect();
    let colons = pairs.join(":").to_uppercase();
    for known in [api.pem_file().to_str().unwrap(), &plain, &colons] {
        let mut client = client(vault.path(), &flags(&api, known), KEY);
        assert_eq!(client.call("active_file_read", &json!({})).ok()["path"], "Told.md", "{known}");
    }
}

/// Makes every call that asks Obsidian, while its server must not be trusted.
fn refused(api: &Api, expected: &Certificate) -> Value {
    let vault = vault();
    let mut client = client(vault.path(), &flags(api, &expected.fingerprint()), KEY);
    let show = client.call("active_file_show", &json!({"path": "Told.md"})).error();
    let read = client.call("active_file_read", &json!({})).error();
    for error in [&show, &read] {
        assert_eq!(error["code"], "UPSTREAM_ERROR", "{error}");
        assert!(!error.to_string().contains(KEY), "{error}");
    }
    assert!(api.seen().is_empty(), "nothing was sent");
    read
}

#[test]
fn another_certificate_is_refused_and_gets_no_key() {
    let (shown, expected) = (Certificate::new(), Certificate::new());
    let error = refused(&Api::showing(&shown, "Told.md"), &expected);
    let message = error["message"].as_str().unwrap();
    for fingerprint in [shown.fingerprint(), expected.fingerprint()] {
        assert!(message.contains(&fingerprint), "{message}");
    }
    assert_eq!(error["retryable"], false);
    assert!(error["hint"].as_str().unwrap().contains("TOOLWRIT_OBSIDIAN_CERT"), "{error}");
}

#[test]
fn the_certificate_without_its_private_key_is_refused() {
    let certificate = Certificate::new();
    refused(&Api::showing(&certificate.stolen(), "Told.md"), &certificate);
}

#[test]
fn a_wrong_key_is_reported_and_never_shown() {
    let (vault, api) = (vault(), Api::with("Told.md"));
    let wrong = "the-wrong-key-of-this-test";
    let mut client = client(vault.path(), &api.flags(), wrong);
    for (tool, arguments) in
        [("active_file_read", json!({})), ("active_file_show", json!({"path": "Told.md"}))]
    {
        let error = client.call(tool, &arguments).error();
        assert_eq!(
            (error["code"].as_str(), &error["retryable"]),
            (Some("UPSTREAM_ERROR"), &json!(false))
        );
        assert!(error["message"].as_str().unwrap().contains("does not accept the key"), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("TOOLWRIT_OBSIDIAN_API_KEY"), "{error}");
    }
    let flags = api.flags();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    for (key, code) in [(KEY, 0), (wrong, 1)] {
        for command in [&["call", "active.read", "--json"][..], &["doctor"]] {
            let ran = run(&vault, key, &[command, &flags].concat());
            let said =
                [ran.stdout, ran.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
            assert_eq!(ran.status.code(), Some(code), "{command:?}: {said}");
            assert!(!said.contains(key), "{command:?}: {said}");
        }
    }
}

#[test]
fn invalid_settings_prevent_the_start() {
    let (vault, files) = (vault(), TempDir::new().unwrap());
    let write = |name: &str, text: String| {
        let path = files.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let two = write("two.pem", [Certificate::new().pem, Certificate::new().pem].concat());
    let none = write("none.pem", "no certificate".to_owned());
    let fingerprint = "ab".repeat(32);
    let here = "https://127.0.0.1:27124";
    for (url, certificate, key, says) in [
        (here, None, KEY, "TOOLWRIT_OBSIDIAN_CERT"),
        (here, Some(two.as_str()), KEY, "2 certificates"),
        (here, Some(&none), KEY, "0 certificates"),
        (here, Some("/no/such/file"), KEY, "/no/such/file"),
        (here, Some(&fingerprint[1..]), KEY, "fingerprint"),
        (here, Some(&fingerprint), "two\nlines", "TOOLWRIT_OBSIDIAN_API_KEY"),
        ("127.0.0.1:27124", Some(&fingerprint), KEY, "expected an address"),
        ("https://user@127.0.0.1", Some(&fingerprint), KEY, "without a path, query or user"),
        ("https://127.0.0.1/api", Some(&fingerprint), KEY, "without a path, query or user"),
        ("http://127.0.0.1:27123", Some(&fingerprint), KEY, "https"),
        ("http://192.0.2.1:27123", None, KEY, "on this machine"),
        ("ftp://127.0.0.1", None, KEY, "on this machine"),
    ] {
        let certificate = certificate.map(|certificate| ["--obsidian-cert", certificate]);
        let flags: Vec<&str> = certificate.into_iter().flatten().collect();
        let ran = run(&vault, key, &[&["serve", "--obsidian-url", url], &flags[..]].concat());
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(3), "{url} {flags:?}: {said}");
        assert!(said.contains(says) && !said.contains(key), "{url} {flags:?}: {said}");
    }
    // Without a key the other settings are not used.
    let unused = run(&vault, "", &["call", "vault.list"]);
    assert!(unused.status.success(), "{unused:?}");
}
