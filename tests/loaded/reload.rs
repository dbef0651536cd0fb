//! The files of a manifest are followed while they are served.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::channel;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_test_servers::http::{HttpServer, response};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::files::replace;
use toolwrit_tests::waiting::{Lines, TIMEOUT};

pub(crate) const ROOT: &str = "\
toolwrit: 1
server: { name: growing }
include: [more.yaml]
categories: { system: { summary: The server itself. } }
operations:
  system.introspect: { builtin: introspect }
  system.own: { summary: What only a handler can do., effect: read }
cookbooks:
  start: { summary: How to begin., file: start.md, operations: [system.introspect] }
";
pub(crate) const ONE: &str =
    "toolwrit: 1\noperations:\n  system.list_roles: { builtin: list_roles }\n";
pub(crate) const TWO: &str =
    "toolwrit: 1\noperations:\n  system.list_cookbooks: { builtin: list_cookbooks }\n";
const TOOLS_CHANGED: &str = "notifications/tools/list_changed";

/// A manifest in a folder, the server of it, and what the server writes to standard error.
struct Served {
    folder: TempDir,
    client: Client,
    errors: Lines,
}

impl Served {
    fn start(era: Era) -> Self {
        Self::start_with(&[], era)
    }

    fn start_with(flags: &[&str], era: Era) -> Self {
        Self::start_in(&[], flags, era)
    }

    fn start_in(environment: &[(&str, &str)], flags: &[&str], era: Era) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, text) in [("root.yaml", ROOT), ("more.yaml", ONE), ("start.md", "# Begin\n")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        command.args(["serve", "--surface", "flat", "--manifest"]);
        command.arg(folder.path().join("root.yaml")).args(flags).stderr(Stdio::piped());
        command.envs(environment.iter().copied());
        let (client, errors) = Client::of(command, era);
        Self { folder, client, errors: Lines::of(errors) }
    }

    fn edit(&self, name: &str, text: &str) {
        replace(&self.folder.path().join(name), text);
    }

    fn tools(&mut self) -> Vec<String> {
        let tools = self.client.tools();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Reads standard error up to a line with this text.
    fn wait_for_error(&mut self, text: &str) -> String {
        self.errors.find(text)
    }

    fn wait_for_notification(&mut self, method: &str) -> Value {
        loop {
            let known = self.client.notifications.iter().position(|one| one["method"] == method);
            if let Some(at) = known {
                return self.client.notifications.remove(at);
            }
            let message = self.client.next_message();
            self.client.notifications.push(message);
        }
    }

    /// Waits for the notification after which these are the tools: they may change more than once.
    fn wait_for_tools(&mut self, expected: &[&str]) {
        loop {
            self.wait_for_notification(TOOLS_CHANGED);
            if self.tools() == expected {
                break;
            }
        }
    }
}

#[test]
fn a_session_learns_of_an_edit_and_an_invalid_one_changes_nothing() {
    let mut served = Served::start(Era::Initialize);
    let left_out = served.wait_for_error("system.own");
    assert!(left_out.contains("handlers"), "{left_out}");
    assert_eq!(served.tools(), ["system_introspect", "system_list_roles"]);

    served.edit("more.yaml", TWO);
    served.wait_for_tools(&["system_introspect", "system_list_cookbooks"]);
    let gone = served.client.call("system_list_roles", &json!({}));
    assert_eq!(gone.code(), "TOOL_NOT_FOUND");

    served.edit("more.yaml", "toolwrit: 1\noperations:\n  system.oops: { builtin: nothing }\n");
    served.wait_for_error("more.yaml:3:27");
    served.wait_for_error("the server continues");
    assert_eq!(served.tools(), ["system_introspect", "system_list_cookbooks"]);
    assert_eq!(served.client.call("system_list_cookbooks", &json!({})).code(), "ok");

    fs::remove_file(served.folder.path().join("more.yaml")).unwrap();
    served.wait_for_error("cannot read `more.yaml`");
    served.edit("more.yaml", ONE);
    served.wait_for_tools(&["system_introspect", "system_list_roles"]);
}

#[test]
fn a_client_that_listens_learns_of_an_edit() {
    let mut served = Served::start(Era::Stateless);
    let wish = json!({"notifications": {"toolsListChanged": true}});
    served.client.begin("subscriptions/listen", wish);
    served.wait_for_notification("notifications/subscriptions/acknowledged");
    served.edit("more.yaml", TWO);
    served.wait_for_tools(&["system_introspect", "system_list_cookbooks"]);
}

#[test]
fn a_cookbook_that_is_edited_is_read_anew() {
    let mut served = Served::start(Era::Initialize);
    served.edit("start.md", "# Again\n");
    served.wait_for_error("as edited");
    let prompt = served.client.request("prompts/get", json!({ "name": "start" }));
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], "# Again\n", "{prompt}");
}

/// An edit that takes away what the operator chose is refused as a whole.
#[test]
fn the_choice_of_the_operator_must_hold_after_an_edit() {
    let mut served = Served::start_with(&["--role", "owner"], Era::Initialize);
    let roles = "roles: { guest: { allow: [\"*\"] } }\n";
    served.edit("root.yaml", &format!("{ROOT}{roles}").replace("list_roles", "list_cookbooks"));
    served.wait_for_error("owner");
    assert_eq!(served.tools(), ["system_introspect", "system_list_roles"]);
    served.edit("root.yaml", &ROOT.replace("include: [more.yaml]\n", ""));
    served.wait_for_tools(&["system_introspect"]);
}

/// A role that nobody named is the first of the manifest, also after an edit.
#[test]
fn the_default_role_is_that_of_the_manifest_as_edited() {
    let mut served = Served::start(Era::Initialize);
    let reader = "reader: { allow: [system.introspect] }";
    served.edit("root.yaml", &format!("{ROOT}roles: {{ {reader}, editor: {{ allow: ['*'] }} }}\n"));
    served.wait_for_tools(&["system_introspect"]);
    served.edit("root.yaml", &format!("{ROOT}roles: {{ editor: {{ allow: ['*'] }}, {reader} }}\n"));
    served.wait_for_tools(&["system_introspect", "system_list_roles"]);
}

/// A flag names what its name means in the manifest as edited.
#[test]
fn an_excluded_alias_excludes_its_operation_under_each_name() {
    let named = |id: &str| ONE.replace("list_roles: { ", &format!("{id}: {{ aliases: [whoever], "));
    let mut served = Served::start_with(&["--exclude", "system.list_roles"], Era::Initialize);
    assert_eq!(served.tools(), ["system_introspect"]);
    served.edit("more.yaml", &named("roles").replace("whoever", "system.list_roles"));
    served.wait_for_error("as edited");
    assert_eq!(served.tools(), ["system_introspect"]);
    served.edit("more.yaml", &named("roles"));
    served.wait_for_error("the server continues");
    assert_eq!(served.tools(), ["system_introspect"]);
}

const API: &str = "\
toolwrit: 1
server: { name: growing }
categories: { shop: { summary: Things for sale. } }
providers:
  store: { title: Store, summary: Sells things., settings: { url: string }, http: { base: $url } }
operations:
  shop.price: { summary: The price of a thing., effect: read, http: { get: /price, result: text }, returns: string }
";

/// An edit brings a provider and its operations, and later takes them away. A call that runs meanwhile ends as it began.
#[test]
fn providers_come_and_go_with_edits_and_running_calls_end() {
    let (told, arrived) = channel();
    let (release, released) = channel::<()>();
    let released = Mutex::new(released);
    let store = HttpServer::scripted(move |_, stream| {
        told.send(()).unwrap();
        released.lock().unwrap().recv_timeout(TIMEOUT).unwrap();
        stream.write_all(&response(200, &[], "12")).unwrap();
    });
    let url = store.url("");
    let environment = [("TOOLWRIT_STORE_URL", &*url), ("TOOLWRIT_STORE_NETWORKS", "127.0.0.0/8")];
    let mut served = Served::start_in(&environment, &[], Era::Initialize);
    served.edit("root.yaml", API);
    served.wait_for_tools(&["shop_price"]);

    let call = served.client.begin_call("shop_price", &json!({}));
    arrived.recv_timeout(TIMEOUT).unwrap();
    served.edit("root.yaml", ROOT);
    served.wait_for_tools(&["system_introspect", "system_list_roles"]);
    assert_eq!(served.client.call("shop_price", &json!({})).code(), "TOOL_NOT_FOUND");
    release.send(()).unwrap();
    assert_eq!(served.client.finish_call(call).ok(), json!({ "result": "12" }));
}
