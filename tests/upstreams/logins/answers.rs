//! What comes back from the browser, or is pasted, and what is written of it.

use std::process::{Child, Stdio};

use toolwrit_test_servers::forms::{encoded, form};
use toolwrit_test_servers::oauth::Rules;

use super::{Home, consent, errors, open};

#[test]
fn a_pasted_address_ends_a_login_and_a_bare_code_does_not() {
    let home = Home::new(Rules::default());
    let mut login = home.begin(&[]);
    let back = consent(&login.address);
    login.paste(&form(back.split_once('?').unwrap().1)["code"]);
    login.lines.find("paste all of it");
    login.paste(&format!("  {back}"));
    login.succeeded();
    home.done(&["upstream", "test", "site"]);
}

#[test]
fn only_the_answer_to_the_login_is_taken() {
    let home = Home::new(Rules::default());
    let mut login = home.begin(&[]);
    let back = consent(&login.address);
    let (begin, query) = back.split_once('?').unwrap();
    let sent = form(query);
    let forged = format!("{begin}?code=c&state=other");
    assert_eq!(open(&forged).0, 400);
    login.lines.find("the `state` of another login");
    // A page of another host reaches this port by a name of its own.
    let (other_host, other_path) =
        (back.replace("127.0.0.1", "localhost"), back.replace("/callback", "/"));
    assert_eq!((open(&other_host).0, open(&other_path).0), (404, 404));
    login.paste(&format!("{begin}?code={}", sent["code"]));
    login.lines.find("the `state` of another login");
    assert_eq!(open(&back).0, 200);
    login.succeeded();
}

/// What a page of an issuer adds to the address to which it sends the browser back.
type AddsToAnswer = fn(&str) -> String;

#[test]
fn what_ends_a_login_is_told_in_words() {
    let answers: [(AddsToAnswer, &str); 4] = [
        (
            |issuer| {
                format!("&error=access_denied&error_description=not+today&iss={}", encoded(issuer))
            },
            "The login was denied: access_denied (not today).",
        ),
        (
            |_| format!("&iss={}", encoded("https://evil.example")),
            "from the authorization server https://evil.example, and not from",
        ),
        (|_| String::new(), "does not say that it comes from"),
        (|issuer| format!("x&iss={}", encoded(issuer)), "the `state` of another login"),
    ];
    for (answer, said) in answers {
        let home = Home::new(Rules { answer, ..Rules::default() });
        let mut login = home.begin(&["--timeout", "1m"]);
        assert!(open(&consent(&login.address)).0 < 500);
        if said.contains("another login") {
            login.lines.find(said);
        } else {
            let line = login.failed();
            assert!(line.contains(said), "{line}");
        }
        assert_eq!(home.grants("authorization_code").len(), 0, "{said}");
        assert!(!home.file().exists(), "{said}");
    }
    let home = Home::new(Rules::default());
    let late = home.begin(&["--timeout", "1ms"]).failed();
    assert!(late.contains("Nobody logged in within"), "{late}");
}

#[test]
fn logs_have_no_secret_at_any_level() {
    let home = Home::new(Rules::default());
    let traced = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        command.env("TOOLWRIT_LOG", "trace,rmcp=trace");
        command
    };
    let mut command = traced(&["upstream", "login", "site", "--no-browser"]);
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let (address, written) = split_errors(child, |address| {
        open(&consent(address));
    });
    home.done(&["upstream", "approve", "site", "--yes"]);
    home.expire();
    let renewed = traced(&["call", "site.read"]).output().unwrap();
    let ended = traced(&["upstream", "logout", "site"]).output().unwrap();
    let state = &form(address.split_once('?').unwrap().1)["state"];
    let logs = [written.replace(&address, ""), errors(&renewed), errors(&ended)].concat();
    assert!(logs.contains("TRACE") && logs.contains("rmcp"), "{logs}");
    let verifiers =
        home.grants("authorization_code").into_iter().map(|sent| sent["code_verifier"].clone());
    let secrets = home.site.secrets().into_iter().chain(verifiers).chain([state.clone()]);
    for secret in secrets {
        assert!(!logs.contains(&secret), "{secret}: {logs}");
    }
}

/// Waits for the address in what a program writes, and then for its end. Returns the address, and all that it wrote.
fn split_errors(mut child: Child, browse: impl FnOnce(&str)) -> (String, String) {
    use std::io::{BufRead as _, BufReader, Read as _};

    let mut reader = BufReader::new(child.stderr.take().unwrap());
    let (mut written, mut address) = (String::new(), String::new());
    while !address.starts_with("http://") {
        address.clear();
        assert!(reader.read_line(&mut address).unwrap() > 0, "{written}");
        written.push_str(&address);
    }
    browse(address.trim());
    reader.read_to_string(&mut written).unwrap();
    assert!(child.wait().unwrap().success(), "{written}");
    (address.trim().to_owned(), written)
}
