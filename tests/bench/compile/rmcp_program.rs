//! The same operations on rmcp: derives for the types, one router per family.

use std::fmt::Write;

use crate::program::has_enum;

/// The one source file.
pub(crate) fn source(families: &[Vec<usize>], summary: impl Fn(usize) -> String) -> String {
    let mut rust = "use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ErrorData, Json, ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

struct App {
    router: ToolRouter<App>,
}

#[tool_handler(router = self.router)]
impl ServerHandler for App {}
"
    .to_owned();
    for (at, operations) in families.iter().enumerate() {
        for op in operations {
            types(&mut rust, *op);
        }
        writeln!(rust, "\n#[tool_router(router = family{at})]\nimpl App {{").unwrap();
        for op in operations {
            write!(
                rust,
                "    #[tool(description = \"{}\")]
    async fn op{op}(&self, Parameters(p): Parameters<Op{op}>) \
                 -> Result<Json<Op{op}Result>, ErrorData> {{
        let count = p.limit.unwrap_or(1);
        Ok(Json(Op{op}Result {{ path: p.path, count, note: Some(p.query) }}))
    }}\n",
                summary(*op)
            )
            .unwrap();
        }
        rust.push_str("}\n");
    }
    let routers: Vec<String> = (0..families.len()).map(|at| format!("App::family{at}()")).collect();
    write!(
        rust,
        "\n#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {{
    let router = {};
    App {{ router }}.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}}\n",
        routers.join(" + ")
    )
    .unwrap();
    rust
}

fn types(rust: &mut String, op: usize) {
    let last = if has_enum(op) {
        write!(
            rust,
            "\n#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = \"snake_case\")]
enum Op{op}Format {{
    #[default]
    Markdown,
    Json,
    Html,
}}\n"
        )
        .unwrap();
        format!("#[serde(default)]\n    format: Op{op}Format")
    } else {
        "#[serde(default)]\n    deep: bool".to_owned()
    };
    write!(
        rust,
        "\n#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Op{op} {{
    #[schemars(length(max = 1024))]
    path: String,
    /// What to look for.
    query: String,
    #[schemars(range(min = 1, max = 500))]
    limit: Option<i64>,
    tags: Option<Vec<String>>,
    {last},
}}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Op{op}Result {{
    path: String,
    count: i64,
    note: Option<String>,
}}\n"
    )
    .unwrap();
}
