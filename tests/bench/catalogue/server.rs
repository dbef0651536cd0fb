//! The server of a manifest. Its handlers do nothing and return one word.

use std::fmt::Write;
use std::path::Path;

use toolwrit_manifest::rust_names::{identifier, type_name, value_name};
use toolwrit_manifest::{Authority, Operation};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::workspace::{APP, Workspace, engine};

const NAME: &str = "catalogue";

/// A built server.
pub(crate) struct Server {
    workspace: Workspace,
    authority: Authority,
}

impl Server {
    /// Writes the manifest and a handler for each of its operations, and builds them.
    pub(crate) fn build(manifest: &str) -> Self {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(NAME);
        let workspace = Workspace::write(home, &[NAME]);
        let inside = Path::new(NAME);
        workspace.put_package(NAME, &engine());
        workspace.put(&inside.join("authority.yaml"), manifest);
        let path = workspace.path(NAME).join("authority.yaml");
        let authority = toolwrit_manifest::load(&path).unwrap_or_else(|faults| panic!("{faults}"));
        workspace.put(&inside.join("src/main.rs"), &source(&authority));
        let status = workspace.cargo("build", NAME).status().unwrap();
        assert!(status.success(), "the server of the manifest does not build");
        Self { workspace, authority }
    }

    /// Starts it on standard streams.
    pub(crate) fn serve(&self, surface: &str) -> Client {
        let program = self.workspace.program(NAME);
        Client::connect(&program, &["serve", "--surface", surface], Era::Initialize)
    }

    /// The operation that was generated from a tool.
    pub(crate) fn operation(&self, tool: &str) -> Option<&Operation> {
        self.authority.operations.iter().find(|operation| operation.wire_name == tool)
    }
}

fn source(authority: &Authority) -> String {
    let mut rust = APP.to_owned();
    for (at, category) in authority.categories.iter().enumerate() {
        let module = identifier(&value_name(&category.name));
        write!(rust, "\nimpl {module}::Handlers for App {{\n").unwrap();
        let operations = authority.operations.iter();
        for operation in operations.filter(|operation| operation.category.index() == at) {
            let (method, own) = (identifier(&operation.name), type_name(&operation.name));
            write!(
                rust,
                "    async fn {method}(&self, _: &Context, _: {module}::{own}) \
                 -> Result<{module}::{own}Result> {{
        Ok(\"Done.\".to_owned())
    }}\n"
            )
            .unwrap();
        }
        rust.push_str("}\n");
    }
    rust
}
