//! An MCP server that lists one tool per page, adds one with each call of `grow`, and tells that its list has changed.

use serde_json::{Value, json};
use toolwrit_test_servers::mcp::{Client, Session, serve_stdio};

struct Growing {
    session: Session,
    tools: usize,
}

fn main() {
    let mut growing = Growing { session: Session::new("growing", "1.0.0"), tools: 3 };
    serve_stdio(|message, client| growing.receive(message, client));
}

impl Growing {
    fn receive(&mut self, message: &Value, client: &mut Client<'_>) {
        let id = &message["id"];
        match message["method"].as_str() {
            Some("tools/list") => client.answer(id, &self.page(&message["params"]["cursor"])),
            Some("tools/call") => {
                self.tools += 1;
                self.session.notify_list_changed("tools", client);
                client.answer_text(id, "It grew.");
            }
            _ => self.session.receive(message, client),
        }
    }

    fn page(&self, cursor: &Value) -> Value {
        let at: usize = cursor.as_str().and_then(|at| at.parse().ok()).unwrap_or_default();
        let name = if at == 0 { "grow".to_owned() } else { format!("leaf_{at}") };
        let tool =
            json!({ "name": name, "description": "A tool.", "inputSchema": { "type": "object" } });
        let mut page = json!({ "tools": [tool] });
        let next = at + 1;
        if next < self.tools {
            page["nextCursor"] = next.to_string().into();
        }
        page
    }
}
