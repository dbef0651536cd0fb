//! `GET /tools`: the tools that a message needs, and the cost of listings.

use serde_json::{Value, json};
use toolwrit_tests::vaults;

use toolwrit_tests::drivers::http::{Answer, Home, Server};
use toolwrit_tests::program::{lab, toolwrit};

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["tools"].as_array().unwrap_or_else(|| panic!("no tools: {answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// A vault server with an account for each role, and the header that an account sends.
struct Guarded {
    home: Home,
    vault: tempfile::TempDir,
    owner: String,
    reader: String,
}

impl Guarded {
    fn new() -> Self {
        let (home, vault) = (Home::new(), vaults::empty());
        let header = |role| format!("Bearer {}", home.token(toolwrit(), role));
        let (owner, reader) = (header("owner"), header("reader"));
        Self { home, vault, owner, reader }
    }

    fn serve(&self) -> Server {
        let vault = self.vault.path().to_str().unwrap();
        self.home.serve(toolwrit(), &["--vault", vault, "--surface", "meta"])
    }
}

fn ask(server: &Server, path: &str, account: &str) -> Value {
    let answer = server.get(path, &[("authorization", account)]);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn reset(server: &Server, account: &str) -> Answer {
    server.post_to("/tools/metrics/reset", &[("authorization", account)], "")
}

#[test]
fn without_criteria_there_are_no_tools() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let answer = server.get("/tools?userId=ines", &[]).json();
    assert_eq!(answer["tools"], json!([]));
    let metadata = &answer["metadata"];
    assert_eq!(metadata["filtered"], false);
    for count in ["originalCount", "returnedCount", "reductionPercent"] {
        assert_eq!(metadata[count], 0, "{count}");
    }
    assert_eq!(metadata["appliedContext"], json!([]));
    assert_eq!(metadata["reason"], "no_context_detected");
    let again = server.get("/tools", &[]).json();
    assert_ne!(metadata["requestId"], again["metadata"]["requestId"]);
    assert!(metadata["timestamp"].as_str().unwrap().ends_with('Z'), "{metadata}");
}

#[test]
fn a_category_lists_its_flat_tools_with_their_contexts() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let mut answer = server.get("/tools?category=lab", &[]).json();
    let listed = server.client("/flat").request("tools/list", json!({})).result();
    let tools = answer["tools"].as_array_mut().unwrap();
    let contexts = |tools: &[Value], name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["contexts"].clone()
    };
    assert_eq!(contexts(tools, "lab_echo"), json!(["echoes"]));
    assert_eq!(contexts(tools, "lab_touch"), json!(["secrets", "changes"]));
    // What no context includes belongs to its category.
    assert_eq!(contexts(tools, "lab_stamp"), json!(["lab"]));
    for tool in tools.iter_mut().map(|tool| tool.as_object_mut().unwrap()) {
        let categories = tool.remove("categories").unwrap();
        assert_eq!(categories[0], "lab", "{categories}");
        if tool["annotations"]["readOnlyHint"] == true {
            assert_eq!(categories[1], "retrieval", "{categories}");
        }
        tool.remove("contexts");
    }
    assert_eq!(answer["metadata"]["endpoint"], "/mcp/flat");
    assert_eq!(answer["tools"], listed["tools"]);
    assert_eq!(answer["metadata"]["filtered"], true);
    assert_eq!(answer["metadata"]["reason"], Value::Null);
}

#[test]
fn contexts_are_named_or_detected_in_a_message() {
    let guarded = Guarded::new();
    let server = guarded.serve();
    let select = |criteria: &str| ask(&server, &format!("/tools?{criteria}"), &guarded.owner);
    let tidying = select("context=tidying");
    assert_eq!(tidying["metadata"]["appliedContext"], "tidying");
    let named = json!([{"name": "tidying", "confidence": 1.0, "matched": []}]);
    assert_eq!(tidying["metadata"]["contexts"], named);
    assert_eq!(names(&tidying), names(&select("context=rename+it")));
    assert_eq!(names(&tidying), names(&select("context=Tidying")));
    // The name of a category counts as one, too.
    assert!(names(&select("context=web")).contains(&"fetch"));
    let both = select("context=linking,+tidying,unknown");
    assert_eq!(both["metadata"]["appliedContext"], json!(["tidying", "linking"]));
    let all = names(&both);
    assert!(all.contains(&"vault_rename") && all.contains(&"vault_backlinks"), "{all:?}");
    let tool = both["tools"].as_array().unwrap().iter().find(|t| t["name"] == "vault_rename");
    assert_eq!(tool.unwrap()["contexts"], json!(["tidying"]));
    // No context has this name, so it is a message.
    let message = select("context=tidy");
    assert_eq!(message["metadata"]["contexts"][0]["matched"], json!(["tidy"]));
}

#[test]
fn a_message_a_category_and_a_query_filter_the_tools() {
    let guarded = Guarded::new();
    let server = guarded.serve();
    let select = |criteria: &str| ask(&server, &format!("/tools?{criteria}"), &guarded.owner);

    let nothing = select("context=What+a+lovely+sunset");
    assert_eq!(names(&nothing), [""; 0]);
    assert_eq!(nothing["metadata"]["reason"], "no_context_detected");
    assert_eq!(nothing["metadata"]["filtered"], false);
    for count in ["originalCount", "returnedCount", "reductionPercent"] {
        assert_eq!(nothing["metadata"][count], 0, "{count}");
    }
    assert_eq!(nothing["metadata"]["appliedContext"], json!([]));
    assert_eq!(nothing["metadata"]["contexts"], json!([]));

    let moved = select("context=please%20rename%20the%20note");
    assert!(names(&moved).contains(&"vault_rename"), "{moved}");
    assert_eq!(moved["metadata"]["filtered"], true);
    let found = json!([
        {"name": "tidying", "confidence": 0.5, "matched": ["rename"]},
        {"name": "notes", "confidence": 0.5, "matched": ["note"]},
    ]);
    assert_eq!(moved["metadata"]["contexts"], found);
    assert_eq!(moved["metadata"]["appliedContext"], json!(["tidying", "notes"]));

    // The contexts of an earlier message count for the next one, with half their weight.
    let next = select("context=and+this+one&previous=tidying:0.67");
    let tidying = select("context=tidying");
    assert_eq!(names(&next), names(&tidying));
    assert_eq!(next["metadata"]["contexts"][0]["matched"], json!([]));
    let later = select("context=and+this+one&previous=tidying:0.5,unknown:1");
    assert_eq!(later["metadata"]["reason"], "no_context_detected");
    assert_eq!(names(&select("previous=tidying:0.67")), names(&tidying));
    let both = select("context=rename+a+note&query=delete");
    assert!(names(&both).iter().all(|name| names(&moved).contains(name)), "{both}");

    let ranked = select("category=vault&query=rename+a+note");
    assert_eq!(names(&ranked)[0], "vault_rename");
    assert_eq!(names(&select("query=vault.read")), ["vault_read"]);
    let none = select("query=zzyzx");
    assert_eq!((names(&none).len(), &none["metadata"]["reason"]), (0, &json!("nothing_matches")));
}

#[test]
fn invalid_parameters_are_refused() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let long = format!("context={}", "x".repeat(3000));
    for (criteria, says) in [
        ("contxt=x", "there is no parameter `contxt`"),
        ("context=x&previous=tickets", "`tickets` is not a context"),
        ("context=x&previous=tickets:2", "`tickets:2` is not a context"),
        ("query=a&query=b", "the parameter `query` occurs more than once"),
        (&*long, "`context` has 3000 bytes"),
        ("category=labb", "There is no category `labb`."),
    ] {
        let refused = server.get(&format!("/tools?{criteria}"), &[]);
        assert_eq!(refused.status, 400, "{refused:?}");
        let message = refused.error()["message"].to_string();
        assert!(message.contains(says) && !message.contains("deserialize"), "{message}");
    }
    let refused = server.get("/tools?category=labb", &[]);
    assert_eq!(refused.error()["expected"], json!(["lab"]));
    let wrong = server.post_to("/tools", &[], "");
    assert_eq!((wrong.status, wrong.headers["allow"].to_str().unwrap()), (405, "GET,HEAD"));
    assert!(wrong.error()["message"].is_string());
}

#[test]
fn a_user_id_is_recorded_and_grants_nothing() {
    let guarded = Guarded::new();
    let server = guarded.serve();
    assert_eq!(server.get("/tools", &[]).status, 401);
    let all = ask(&server, "/tools?category=vault&userId=owner", &guarded.reader);
    assert!(names(&all).contains(&"vault_read"));
    assert!(!names(&all).contains(&"vault_write"), "{all}");
    let headers = [("authorization", &*guarded.owner), ("toolwrit-role", "reader")];
    let narrowed = server.get("/tools?category=vault", &headers).json();
    assert_eq!(names(&narrowed), names(&all));
    // The costs are those of the account.
    let costs = ask(&server, "/tools/metrics", &guarded.owner);
    assert_eq!(costs["principals"][1]["name"], "reader");
    assert_eq!(costs["principals"].as_array().unwrap().len(), 2);
    // Every call is recorded before the server has ended.
    server.stop();
    let audit = guarded.home.command(toolwrit(), &["audit", "--json"]).output().unwrap();
    let rows = String::from_utf8(audit.stdout).unwrap();
    let row: Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert_eq!((&row["name"], &row["principal"]), (&json!("GET /tools"), &json!("reader")));
    assert_eq!(row["arguments"], json!({"userId": "owner"}));
}

/// The command line's measurement of the owner's list, without operations whose providers are missing.
fn measured(guarded: &Guarded, surface: &str) -> u64 {
    let unavailable = ["--exclude", "active.show,chat,note,system.seed_test_data,plugin"];
    let flags = [&["tokens", "--json", "--focus", "full"][..], &unavailable].concat();
    let mut tokens = guarded.home.command(toolwrit(), &flags);
    let tokens: Value = serde_json::from_slice(&tokens.output().unwrap().stdout).unwrap();
    let surfaces = tokens["surfaces"].as_array().unwrap().iter();
    let mut found = surfaces.filter(|row| row["surface"] == surface && row["split"] != "none");
    let row = found.next().unwrap();
    row["tokens"].as_u64().unwrap()
}

#[test]
fn sent_tokens_are_compared_with_full_listings() {
    let guarded = Guarded::new();
    let server = guarded.serve();
    let costs = |server: &Server| ask(server, "/tools/metrics", &guarded.owner);
    let none = costs(&server);
    assert_eq!(none["filtered"]["requests"], 0);
    assert_eq!(
        (&none["filtered"]["avgTokensPerRequest"], &none["reductionPercent"]),
        (&json!(0.0), &json!(0.0))
    );

    let (flat, meta) = (measured(&guarded, "flat"), measured(&guarded, "meta"));
    let client = server.client("").with("authorization", &guarded.owner);
    for _ in 0..3 {
        client.tools();
    }
    ask(&server, "/tools?context=What+a+lovely+sunset", &guarded.owner);
    let report = costs(&server);
    assert_eq!(report["baseline"]["requests"], 4);
    assert_eq!(report["baseline"]["totalTokens"], 4 * flat);
    // An empty list is one token.
    assert_eq!(report["filtered"]["totalTokens"], 3 * meta + 1);
    let percent = report["reductionPercent"].as_f64().unwrap();
    assert!(percent > 80.0, "{report}");
    assert_eq!(report["reduction"], format!("{percent}%"));

    // The reader has fetched nothing, and sees no data of others.
    let reader = ask(&server, "/tools/metrics", &guarded.reader);
    assert_eq!(reader["baseline"]["requests"], 0);
    assert_eq!(reader["principal"]["name"], "reader");
    assert_eq!(reader["principal"]["filtered"]["requests"], 0);
    assert_eq!(reader.get("principals"), None);

    // Recorded, and checked at the end.
    client.tools();
    server.stop();
    let server = guarded.serve();
    let kept = costs(&server);
    assert_eq!(kept["filtered"]["requests"], 5);
    assert_eq!(kept["filtered"]["totalTokens"], 4 * meta + 1);
    assert_eq!(kept["filtered"]["since"], report["filtered"]["since"]);

    // An operator sees the counts of every account.
    ask(&server, "/tools", &guarded.reader);
    let all = costs(&server);
    let shares = all["principals"].as_array().unwrap();
    let names: Vec<&Value> = shares.iter().map(|share| &share["name"]).collect();
    assert_eq!(names, ["owner", "reader"]);
    let requests = |share: &Value| share["filtered"]["requests"].as_u64().unwrap();
    assert_eq!(shares.iter().map(requests).collect::<Vec<_>>(), [5, 1]);
    assert_eq!(requests(&all), 6);
    assert_eq!(all["principal"], shares[0]);
    // A request with a narrower role is not an operator's.
    let headers = [("authorization", &*guarded.owner), ("toolwrit-role", "reader")];
    let narrowed = server.get("/tools/metrics", &headers).json();
    assert_eq!((requests(&narrowed), narrowed.get("principals")), (5, None));
    let refused = server.post_to("/tools/metrics/reset", &headers, "");
    assert_eq!(refused.status, 403, "{refused:?}");

    let refused = reset(&server, &guarded.reader);
    assert_eq!(refused.status, 403, "{refused:?}");
    assert_eq!(costs(&server)["filtered"]["requests"], 6);
    let fresh = reset(&server, &guarded.owner).json();
    assert_eq!(fresh["filtered"]["requests"], 0);
    assert!(fresh["filtered"]["since"].as_str() > kept["filtered"]["since"].as_str(), "{fresh}");
    assert_eq!(costs(&server)["baseline"]["totalTokens"], 0);
}

#[test]
fn refused_resets_are_recorded_with_their_reason() {
    let home = Home::new();
    let [owner, onlooker] =
        ["owner", "onlooker"].map(|role| format!("Bearer {}", home.token(lab(), role)));
    for (flags, account, recorded) in [
        (&[][..], &onlooker, json!(["hidden", "TOOL_NOT_FOUND"])),
        (&["--read-only"], &owner, json!(["writes_disabled", "WRITES_DISABLED"])),
    ] {
        let server = home.serve(lab(), flags);
        assert_eq!(reset(&server, account).status, 403);
        // Every call is recorded before the server has ended.
        server.stop();
        let audit = ["audit", "--json", "--limit", "1"];
        let audit = home.command(lab(), &audit).output().unwrap();
        let row: Value = serde_json::from_slice(&audit.stdout).unwrap();
        assert_eq!(row["name"], "POST /tools/metrics/reset");
        assert_eq!(json!([row["decision"], row["outcome"]]), recorded);
    }
}

/// The requests of each name, from a report of all costs.
fn requests(costs: &Value) -> Vec<(String, u64)> {
    let rows = costs["principals"].as_array().unwrap().iter();
    let of = |row: &Value| {
        let requests = row["filtered"]["requests"].as_u64().unwrap();
        (row["name"].as_str().unwrap().to_owned(), requests)
    };
    rows.map(of).collect()
}

#[test]
fn costs_of_callers_without_an_account_are_counted_by_user() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    for path in ["?userId=ines", "?userId=ines&query=echo", "?query=echo", "?userId="] {
        assert_eq!(server.get(&format!("/tools{path}"), &[]).status, 200);
    }
    let named = |names: &[(&str, u64)]| -> Vec<(String, u64)> {
        names.iter().map(|(name, requests)| ((*name).to_owned(), *requests)).collect()
    };
    let expected = named(&[("ines", 2), ("local", 2)]);
    assert_eq!(requests(&server.get("/tools/metrics", &[]).json()), expected);
    server.stop();
    let costs = home.command(lab(), &["metrics", "--json"]).output().unwrap();
    assert_eq!(requests(&serde_json::from_slice(&costs.stdout).unwrap()), expected);
    let audit = home.command(lab(), &["audit", "--json"]).output().unwrap();
    let rows = String::from_utf8(audit.stdout).unwrap();
    assert!(rows.lines().all(|row| row.contains(r#""principal":"local""#)), "{rows}");
}

#[test]
fn callers_cannot_add_names_without_limit() {
    let home = Home::new();
    let server = home.serve(lab(), &["--rate", "100000"]);
    for number in 0..1050 {
        assert_eq!(server.get(&format!("/tools?userId=user-{number}"), &[]).status, 200);
    }
    let costs = requests(&server.get("/tools/metrics", &[]).json());
    assert_eq!(costs.len(), 1001);
    assert_eq!(costs[0], ("local".to_owned(), 50));
}

#[test]
fn the_command_line_shows_and_resets_costs() {
    let guarded = Guarded::new();
    let run = |arguments: &[&str]| {
        let output = guarded.home.command(toolwrit(), arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (shown, told) = run(&["metrics"]);
    assert_eq!((shown.as_str(), told.as_str()), ("", "No listing has been counted.\n"));
    run(&["metrics", "--reset"]);
    let server = guarded.serve();
    ask(&server, "/tools?query=read", &guarded.owner);
    ask(&server, "/tools?category=active", &guarded.reader);
    let mut costs = ask(&server, "/tools/metrics", &guarded.owner);
    server.stop();
    let (json, _) = run(&["metrics", "--json"]);
    costs.as_object_mut().unwrap().remove("principal");
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), costs);
    let (table, _) = run(&["metrics"]);
    assert!(table.starts_with("Since 20"), "{table}");
    for (name, row) in [("owner", 0), ("reader", 1)] {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line.ends_with(costs["principals"][row]["reduction"].as_str().unwrap()), "{table}");
    }
    assert!(table.lines().last().unwrap().starts_with("all "), "{table}");
    run(&["metrics", "--reset"]);
    assert_eq!(run(&["metrics"]).1, "No listing has been counted.\n");
    // A server that starts now counts from zero.
    let server = guarded.serve();
    assert_eq!(ask(&server, "/tools/metrics", &guarded.owner)["filtered"]["requests"], 0);
}
