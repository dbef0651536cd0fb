//! `/browser`: what its routes answer, and to whom.

#[cfg(target_os = "linux")]
use std::time::Duration;

use serde_json::{Value, json};
use toolwrit_tests::drivers::http::{Answer, Home, Server};
use toolwrit_tests::program::{lab, toolwrit};

fn json_of(server: &Server, path: &str, headers: &[(&str, &str)]) -> Value {
    let answer = server.get(path, headers);
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

fn check(server: &Server, headers: &[(&str, &str)], call: &Value) -> Answer {
    let headers = [headers, &[("content-type", "application/json")]].concat();
    server.post_to("/browser/check", &headers, &call.to_string())
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

fn operation<'a>(listed: &'a Value, id: &str) -> Option<&'a Value> {
    listed["operations"].as_array().unwrap().iter().find(|own| own["id"] == id)
}

#[test]
fn files_are_public_and_data_needs_a_token() {
    let home = Home::new();
    let token = home.token(lab(), "owner");
    let server = home.serve(lab(), &[]);
    for path in ["/browser/", "/browser/files/app.js", "/browser/files/vendor/uplot.js"] {
        let answer = server.get(path, &[]);
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        for rule in
            ["default-src 'none'", "require-trusted-types-for 'script'", "frame-ancestors 'none'"]
        {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        let tag = answer.headers["etag"].to_str().unwrap();
        assert_eq!(server.get(path, &[("if-none-match", tag)]).status, 304);
    }
    assert_eq!(server.get("/browser/files/nothing.js", &[]).status, 404);
    let offer = json_of(&server, "/browser/api/sign-in", &[]);
    assert_eq!(
        offer,
        json!({ "title": "Laboratory", "required": true, "oauth": null, "browse": false })
    );
    for path in ["operations", "search?q=echo", "history", "series", "status"] {
        let path = format!("/browser/api/{path}");
        assert_eq!(server.get(&path, &[]).status, 401, "{path}");
        json_of(&server, &path, &[("authorization", &bearer(&token))]);
    }
    assert_eq!(check(&server, &[], &json!({ "name": "lab_echo" })).status, 401);
    assert_eq!(server.post_to("/browser/api/status/bench/test", &[], "").status, 401);
}

#[test]
fn operations_are_those_that_the_caller_may_know() {
    let home = Home::new();
    let tokens = ["owner", "onlooker"].map(|role| bearer(&home.token(lab(), role)));
    let server = home.serve(lab(), &[]);
    let listed = |headers: &[(&str, &str)]| json_of(&server, "/browser/api/operations", headers);
    let [owner, onlooker] = [0, 1].map(|at| listed(&[("authorization", tokens[at].as_str())]));
    assert_eq!(owner["roles"].as_array().unwrap().len(), 2);
    assert_eq!(onlooker["roles"], json!([{ "name": "onlooker", "summary": null }]));
    let scrap = operation(&owner, "lab.scrap").unwrap();
    assert_eq!((&scrap["confirm"], &scrap["dry_run"]), (&json!(true), &json!(true)));
    let shelve = operation(&owner, "lab.shelve").unwrap();
    assert_eq!(shelve["tool"], "lab_shelves");
    assert_eq!(shelve["fixed"], json!({ "action": "put" }));
    assert_eq!(scrap["notes"], json!({ "secret": { "sensitive": true } }));
    let dates = json!({ "day": { "type": "date" }, "moment": { "type": "datetime" } });
    assert_eq!(operation(&owner, "lab.shapes").unwrap()["notes"], dates);
    assert_eq!(scrap["deprecated"], Value::Null);
    assert!(operation(&onlooker, "lab.scrap").is_none());
    let narrowed = listed(&[("authorization", &tokens[0]), ("toolwrit-role", "onlooker")]);
    assert_eq!(narrowed["operations"], onlooker["operations"]);

    let search = "/browser/api/search?q=say+it+again";
    let found = json_of(&server, search, &[("authorization", &tokens[1])]);
    assert_eq!(found["operations"][0]["id"], "lab.echo");
    let wrong = server.get("/browser/api/search?query=echo", &[("authorization", &tokens[1])]);
    assert_eq!(wrong.status, 400);
}

#[test]
fn a_check_says_what_is_wrong_and_runs_nothing() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let valid = json!({ "valid": true });
    assert_eq!(check(&server, &[], &json!({ "name": "lab_jot", "arguments": {} })).json(), valid);
    let panic = json!({ "name": "lab_panic", "arguments": { "secret": "x" } });
    assert_eq!(check(&server, &[], &panic).json(), valid);
    assert_eq!(
        check(&server, &[], &json!({ "name": "lab.scrap", "arguments": { "what": "x" } })).json(),
        valid
    );
    // The first call counts from one: the checks have not run it.
    let client = server.client("/flat");
    assert_eq!(client.call("lab_jot", &json!({})).ok(), json!({ "result": 1 }));

    let shelve = |arguments: Value| {
        check(&server, &[], &json!({ "name": "lab_shelves", "arguments": arguments })).error()
    };
    let wrong = shelve(json!({ "action": "put", "thing": "cup", "shelf": "top" }));
    assert_eq!(wrong["code"], "VALIDATION_ERROR");
    assert_eq!(wrong["path"], "/shelf");
    assert_eq!(shelve(json!({ "action": "burn" }))["path"], "/action");
    let unknown = check(&server, &[], &json!({ "name": "lab_ecko" })).error();
    assert_eq!(unknown["code"], "TOOL_NOT_FOUND");
    let denied = [("toolwrit-role", "onlooker")];
    let denied = check(&server, &denied, &json!({ "name": "lab_jot" })).error();
    assert_eq!(denied["code"], "TOOL_NOT_FOUND");

    let called =
        client.call("lab_shelves", &json!({ "action": "put", "thing": "cup", "shelf": "top" }));
    assert_eq!(called.error()["path"], wrong["path"]);
    let twice = r#"{"name": "lab_echo", "arguments": {"text": "a", "text": "b"}}"#;
    let json = [("content-type", "application/json")];
    assert_eq!(server.post_to("/browser/check", &json, twice).error()["path"], "/text");
    assert_eq!(server.post_to("/browser/check", &json, "[").status, 400);
    assert_eq!(server.post_to("/browser/check", &json, r#"{"name": 1}"#).status, 400);
    assert_eq!(server.post_to("/browser/check", &[], r#"{"name": "lab_echo"}"#).status, 415);
    assert_eq!(server.get("/browser/check", &[]).status, 405);
}

#[test]
fn the_history_has_the_calls_of_the_caller_without_arguments() {
    let home = Home::new();
    let made = |role, name: &str| {
        let flags = ["token", "new", "--role", role, "--name", name];
        let output = home.command(lab(), &flags).output().unwrap();
        bearer(String::from_utf8(output.stdout).unwrap().trim())
    };
    let (ada, bob) = (made("onlooker", "ada"), made("onlooker", "bob"));
    let owner = made("owner", "owner");
    let server = home.serve(lab(), &[]);
    let client = |token: &str| server.client("/flat").with("authorization", token);
    client(&ada).call("lab_echo", &json!({ "text": "mine" })).ok();
    client(&ada).call("lab_echo", &json!({})).error();
    client(&bob).call("lab_tally", &json!({})).ok();
    let of = |token: &str, query: &str| {
        let path = format!("/browser/api/history?{query}");
        let calls = json_of(&server, &path, &[("authorization", token)])["calls"].take();
        let calls = calls.as_array().unwrap().iter();
        calls
            .map(|call| (call["name"].take_text(), call["outcome"].take_text()))
            .collect::<Vec<_>>()
    };
    let (ok, failed) = (("lab_echo", "ok"), ("lab_echo", "VALIDATION_ERROR"));
    assert_eq!(of(&ada, ""), [failed, ok].map(owned));
    assert_eq!(of(&ada, "outcome=ok"), [ok].map(owned));
    assert_eq!(of(&ada, "operation=lab.tally"), []);
    assert_eq!(of(&ada, "limit=1"), [failed].map(owned));
    assert_eq!(of(&ada, "since=2999-01-01T00:00:00Z"), []);
    assert_eq!(of(&bob, ""), [("lab_tally", "ok")].map(owned));
    assert_eq!(of(&owner, ""), []);
    let whole = server.get("/browser/api/history", &[("authorization", &ada)]).body;
    assert!(!whole.contains("mine"), "{whole}");
    let wrong = server.get("/browser/api/history?principal=bob", &[("authorization", &ada)]);
    assert_eq!(wrong.status, 400);

    let series = |token: &str| json_of(&server, "/browser/api/series", &[("authorization", token)]);
    let counted = |series: &Value| {
        let buckets = series["series"]["buckets"].as_array().unwrap();
        buckets.iter().map(|bucket| bucket["calls"].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!((series(&ada)["whose"].take_text(), counted(&series(&ada))), ("own".to_owned(), 2));
    assert_eq!(
        (series(&owner)["whose"].take_text(), counted(&series(&owner))),
        ("all".to_owned(), 3)
    );
    let echo = &series(&ada)["series"]["operations"][0];
    assert_eq!(
        (&echo["id"], &echo["calls"], &echo["errors"]),
        (&json!("lab.echo"), &json!(2), &json!(1))
    );
}

fn owned((name, outcome): (&str, &str)) -> (String, String) {
    (name.to_owned(), outcome.to_owned())
}

trait Text {
    fn take_text(&self) -> String;
}

impl Text for Value {
    fn take_text(&self) -> String {
        self.as_str().unwrap().to_owned()
    }
}

#[test]
fn only_operators_test_providers() {
    let home = Home::new();
    let tokens = ["owner", "onlooker"].map(|role| bearer(&home.token(lab(), role)));
    let server = home.serve(lab(), &[]);
    let status = |token: &str| json_of(&server, "/browser/api/status", &[("authorization", token)]);
    let bench = &status(&tokens[0])["providers"][0];
    assert_eq!((&bench["name"], &bench["actions"]), (&json!("bench"), &json!(["test"])));
    let act = |token: &str, path: &str| {
        server.post_to(&format!("/browser/api/status/{path}"), &[("authorization", token)], "")
    };
    assert_eq!(act(&tokens[1], "bench/test").status, 403);
    assert_eq!(act(&tokens[0], "bench/test").json()["providers"][0]["name"], "bench");
    assert_eq!(act(&tokens[0], "bench/explode").status, 404);
    assert_eq!(act(&tokens[0], "nothing/test").status, 404);
}

#[test]
fn a_cookie_opens_pages_and_nothing_else() {
    let home = Home::new();
    let token = bearer(&home.token(lab(), "owner"));
    let server = home.serve(lab(), &[]);
    assert_eq!(server.post_to("/session", &[], "").status, 401);
    let begun = server.post_to("/session", &[("authorization", &token)], "");
    assert_eq!(begun.status, 204);
    let field = begun.headers["set-cookie"].to_str().unwrap();
    let (cookie, rules) = field.split_once("; ").unwrap();
    // Another server on another port of the host must not replace it.
    let port = server.address().rsplit_once(':').unwrap().1;
    assert!(cookie.starts_with(&format!("toolwrit-pages-{port}=")), "{cookie}");
    assert_eq!(rules, "Path=/docs; HttpOnly; SameSite=Strict; Max-Age=43200");
    let with = [("cookie", cookie)];
    for (path, status) in [
        ("/docs/", 200),
        ("/docs/search?q=echo", 200),
        ("/docsearch", 401),
        ("/mcp", 401),
        ("/mcp/flat", 401),
        ("/tools", 401),
        ("/browser/api/operations", 401),
        ("/browser/api/history", 401),
    ] {
        assert_eq!(server.get(path, &with).status, status, "{path}");
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(server.post("", &with, ping).status, 401);
    assert_eq!(server.post_to("/docs/", &with, "").status, 401);
    assert_eq!(server.post_to("/session", &with, "").status, 401);
    assert_eq!(server.get("/docs/", &[("cookie", "toolwrit-pages=0")]).status, 401);
    let other = format!("a=b; toolwrit-pages-1=0; {cookie}");
    assert_eq!(server.get("/docs/", &[("cookie", &other)]).status, 200);

    let origin = format!("https://{}", server.address());
    let secure = [("authorization", token.as_str()), ("origin", origin.as_str())];
    let secure = server.post_to("/session", &secure, "");
    assert!(secure.headers["set-cookie"].to_str().unwrap().ends_with("; Secure"));
    let ended = server.without_body("DELETE", "/session", &[("authorization", &token)]);
    assert_eq!(ended.status, 204);
    assert_eq!(server.get("/docs/", &with).status, 401);
}

#[test]
fn a_cookie_ends_with_its_token() {
    let home = Home::new();
    let token = bearer(&home.token(lab(), "owner"));
    let server = home.serve(lab(), &[]);
    let begun = server.post_to("/session", &[("authorization", &token)], "");
    let cookie =
        begun.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(server.get("/docs/", &[("cookie", &cookie)]).status, 200);
    let revoked = home.command(lab(), &["token", "revoke", "owner"]).output().unwrap();
    assert!(revoked.status.success(), "{revoked:?}");
    assert_eq!(server.get("/docs/", &[("cookie", &cookie)]).status, 401);
}

#[test]
fn a_link_on_another_page_opens_the_page_but_not_its_data() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let visit = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ];
    assert_eq!(server.get("/browser/", &visit).status, 200);
    assert_eq!(server.get("/browser/api/operations", &visit).status, 403);
}

#[test]
fn browse_serves_its_own_user_only() {
    let home = Home::new();
    let server = Server::start(home.command(lab(), &["browse", "--no-open"]));
    let (_, token) = server.url.split_once("/browser/#token=").unwrap();
    let token = bearer(token);
    assert_eq!(server.get("/browser/", &[]).status, 200);
    assert_eq!(server.get("/browser/api/operations", &[]).status, 401);
    let listed = json_of(&server, "/browser/api/operations", &[("authorization", &token)]);
    assert_eq!(listed["caller"]["principal"], "local");
    assert_eq!(listed["server"]["command"], "lab call");
    assert_eq!(json_of(&server, "/browser/api/sign-in", &[])["browse"], true);
}

/// A command without them would act on other data.
#[test]
fn browse_names_the_flags_that_choose_its_data() {
    let home = Home::new();
    let (config, vault) = (home.path().join("my config.toml"), home.path().join("notes"));
    std::fs::write(&config, "").unwrap();
    std::fs::create_dir(&vault).unwrap();
    let mut command = home.command(toolwrit(), &["browse", "--no-open", "--read-only"]);
    command.current_dir(home.path()).args(["--config", "my config.toml"]);
    command.env("TOOLWRIT_VAULT", "notes");
    let server = Server::start(command);
    let token = bearer(server.url.split_once("#token=").unwrap().1);
    let listed = json_of(&server, "/browser/api/operations", &[("authorization", &token)]);
    let expected =
        format!("toolwrit call --config '{}' --vault {}", config.display(), vault.display());
    assert_eq!(listed["server"]["command"], expected);
}

#[test]
fn a_server_for_others_names_no_command() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let listed = json_of(&server, "/browser/api/operations", &[]);
    assert_eq!(listed["server"]["command"], Value::Null);
}

#[cfg(target_os = "linux")]
#[test]
fn browse_opens_an_address_that_signs_in_once() {
    use std::os::unix::fs::PermissionsExt as _;

    let (home, tools) = (Home::new(), tempfile::TempDir::new().unwrap());
    // A pipe, whose reader waits for the address.
    let (program, opened) = (tools.path().join("xdg-open"), tools.path().join("opened"));
    nix::unistd::mkfifo(&opened, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let script = format!("#!/bin/sh\necho \"$1\" > '{}'\n", opened.display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = home.command(lab(), &["browse"]);
    command.env("PATH", tools.path());
    let server = Server::start(command);
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(std::fs::read_to_string(opened).unwrap()));
    let address = receive.recv_timeout(Duration::from_mins(1)).expect("nothing was opened");
    let (page, code) = address.trim().split_once("#code=").unwrap();
    assert_eq!(page, server.url.split('#').next().unwrap());
    let code = bearer(code);
    let launch = || server.post_to("/browser/api/launch", &[("authorization", &code)], "");
    assert_eq!(server.post_to("/browser/api/launch", &[], "").status, 401);
    assert_eq!(server.get("/browser/api/operations", &[("authorization", &code)]).status, 401);
    let token = launch().json()["token"].take_text();
    assert_eq!(server.url.split_once("#token=").unwrap().1, token);
    assert_eq!(launch().status, 401);
}
