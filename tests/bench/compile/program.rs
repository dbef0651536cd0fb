//! The programs to build. Each operation has five parameters, a record as result, and a trivial handler.
//! One operation in five has its own enum.

use std::fmt::{self, Write};

use toolwrit_tests::workspace::APP;

use crate::rmcp_program;

/// Operations in a category.
const FAMILY: usize = 25;

/// The framework of a program.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Toolwrit,
    Rmcp,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Toolwrit => "toolwrit",
            Kind::Rmcp => "rmcp",
        })
    }
}

/// A crate to build.
pub(crate) struct Program {
    pub(crate) kind: Kind,
    pub(crate) operations: usize,
}

/// A file of a program, with the text that an edit changes.
pub(crate) struct File {
    pub(crate) path: &'static str,
    pub(crate) text: String,
}

impl Program {
    pub(crate) fn toolwrit(operations: usize) -> Self {
        Self { kind: Kind::Toolwrit, operations }
    }

    pub(crate) fn rmcp(operations: usize) -> Self {
        Self { kind: Kind::Rmcp, operations }
    }

    /// The package's name.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.kind, self.operations)
    }

    /// The package's source files. The edit of a run changes the first one.
    pub(crate) fn files(&self, run: Option<usize>) -> Vec<File> {
        let middle = self.operations / 2;
        let summary = |operation: usize| match run {
            Some(run) if operation == middle => format!("Do thing {operation}, edit {run}."),
            _ => format!("Do thing {operation}."),
        };
        match self.kind {
            Kind::Toolwrit => vec![
                File { path: "authority.yaml", text: self.manifest(summary) },
                File { path: "src/main.rs", text: self.handlers() },
            ],
            Kind::Rmcp => {
                let text = rmcp_program::source(&self.families(), summary);
                vec![File { path: "src/main.rs", text }]
            }
        }
    }

    fn families(&self) -> Vec<Vec<usize>> {
        (0..self.operations).collect::<Vec<_>>().chunks(FAMILY).map(<[usize]>::to_vec).collect()
    }

    fn manifest(&self, summary: impl Fn(usize) -> String) -> String {
        let mut yaml = "toolwrit: 1\nserver: { name: bench }\n".to_owned();
        yaml.push_str("types:\n  NotePath: { type: string, max_length: 1024, example: a.md }\n");
        yaml.push_str("categories:\n");
        for family in 0..self.families().len() {
            writeln!(yaml, "  family{family}: {{ summary: Family {family}. }}").unwrap();
        }
        yaml.push_str("operations:\n");
        for operation in 0..self.operations {
            let last = if has_enum(operation) {
                "format?: markdown | json | html = markdown"
            } else {
                "deep?: boolean = false"
            };
            write!(
                yaml,
                "  family{}.op{operation}:
    summary: {}
    effect: read
    params:
      path: NotePath
      query: {{ type: string, description: What to look for. }}
      limit?: {{ type: integer, min: 1, max: 500 }}
      tags?: string[]
      {last}
    returns: {{ fields: {{ path: string, count: integer, note?: string }} }}\n",
                operation / FAMILY,
                summary(operation)
            )
            .unwrap();
        }
        yaml
    }

    fn handlers(&self) -> String {
        let mut rust = APP.to_owned();
        for (at, operations) in self.families().iter().enumerate() {
            writeln!(rust, "\nimpl family{at}::Handlers for App {{").unwrap();
            for op in operations {
                write!(
                    rust,
                    "    async fn op{op}(&self, _: &Context, p: family{at}::Op{op}) \
                     -> Result<family{at}::Op{op}Result> {{
        let count = p.limit.unwrap_or(1);
        Ok(family{at}::Op{op}Result {{ path: p.path, count, note: Some(p.query) }})
    }}\n"
                )
                .unwrap();
            }
            rust.push_str("}\n");
        }
        rust
    }
}

/// One in five.
pub(crate) fn has_enum(operation: usize) -> bool {
    operation.is_multiple_of(5)
}
