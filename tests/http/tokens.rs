//! The command `token`.

use std::process::Output;

use serde_json::Value;

use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::lab;

fn token(home: &Home, arguments: &[&str]) -> Output {
    home.command(lab(), &[&["token"], arguments].concat()).output().unwrap()
}

fn output_of(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_token_is_printed_once_and_stored_as_a_digest() {
    let home = Home::new();
    let made = token(&home, &["new", "--role", "owner", "--name", "laptop"]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let secret = String::from_utf8(made.stdout).unwrap();
    let secret = secret.strip_suffix('\n').unwrap();
    // 256 bits in hexadecimal.
    let digits = secret.strip_prefix("twt_").unwrap();
    assert!(digits.len() == 64 && digits.chars().all(|c| c.is_ascii_hexdigit()), "{secret}");

    let file = home.path().join("data/lab/tokens.toml");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(!kept.contains(secret) && !kept.contains(digits), "{kept}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let again = token(&home, &["new", "--role", "owner"]);
    assert_ne!(String::from_utf8(again.stdout).unwrap().trim(), secret);
}

#[test]
fn tokens_are_listed_and_revoked_by_name() {
    let home = Home::new();
    for _ in 0..2 {
        assert!(token(&home, &["new", "--role", "owner"]).status.success());
    }
    let listed = token(&home, &["list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let names: Vec<&Value> =
        listed["tokens"].as_array().unwrap().iter().map(|token| &token["name"]).collect();
    assert_eq!(names, ["owner", "owner-2"]);
    assert!(token(&home, &["revoke", "owner"]).status.success());
    let listed = token(&home, &["list"]);
    let table = String::from_utf8(listed.stdout).unwrap();
    assert!(table.contains("owner-2") && table.lines().count() == 2, "{table}");

    let unknown = token(&home, &["revoke", "ownre-2"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(output_of(&unknown).contains("did you mean `owner-2`"), "{unknown:?}");
}

#[test]
fn invalid_token_names_and_roles_are_refused() {
    let home = Home::new();
    let unknown = token(&home, &["new", "--role", "ownre"]);
    assert_eq!(unknown.status.code(), Some(3));
    assert!(output_of(&unknown).contains("did you mean `owner`"), "{unknown:?}");
    for name in ["", "local", "a b", "a\nb", "é", &"x".repeat(65)] {
        let refused = token(&home, &["new", "--role", "owner", "--name", name]);
        assert_eq!(refused.status.code(), Some(1), "{name:?}");
        assert!(refused.stdout.is_empty());
    }
    assert!(token(&home, &["new", "--role", "owner", "--name", "a"]).status.success());
    let taken = token(&home, &["new", "--role", "owner", "--name", "a"]);
    assert_eq!(taken.status.code(), Some(1));
    assert!(output_of(&taken).contains("already"), "{taken:?}");
}

#[test]
fn tokens_are_stored_in_the_servers_data_folder() {
    let home = Home::new();
    let folder = home.path().join("elsewhere");
    let at = ["--data-dir", folder.to_str().unwrap()];
    let made = token(&home, &[&["new", "--role", "owner"], &at[..]].concat());
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    assert!(folder.join("lab/tokens.toml").is_file());
    let listed = token(&home, &[&at[..], &["list", "--json"]].concat());
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["tokens"].as_array().map(Vec::len), Some(1), "{listed}");
    let elsewhere = token(&home, &["list"]);
    assert!(output_of(&elsewhere).starts_with("No tokens in "), "{elsewhere:?}");
}
