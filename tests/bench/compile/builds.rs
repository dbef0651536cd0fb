//! Builds the programs and measures each build.

use std::path::Path;

use toolwrit_tests::workspace::{Workspace, engine};

use crate::cost::{CRATE, Cost, NOTES};
use crate::program::{Kind, Program};

/// The programs, in their own workspace.
pub(crate) struct Builds {
    workspace: Workspace,
}

impl Builds {
    /// Writes all programs in their unedited form.
    pub(crate) fn write(programs: &[Program]) -> Self {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile-cost");
        let names: Vec<String> = programs.iter().map(Program::name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let builds = Self { workspace: Workspace::write(home, &names) };
        for program in programs {
            builds.workspace.put_package(&program.name(), &dependencies(program.kind));
            builds.put_program(program, None);
        }
        builds
    }

    /// Builds the program once without measuring, for its dependencies.
    pub(crate) fn build_dependencies(&self, program: &Program) {
        self.cargo(program, "build");
    }

    /// Builds the program's own crate from scratch.
    pub(crate) fn build_clean(&self, program: &Program) -> Cost {
        self.put_program(program, None);
        self.cargo(program, "clean");
        self.cargo(program, "build")
    }

    /// Builds the crate again after the summary of one operation has changed.
    pub(crate) fn build_edited(&self, program: &Program, run: usize) -> Cost {
        self.put_program(program, Some(run));
        self.cargo(program, "build")
    }

    fn cargo(&self, program: &Program, command: &str) -> Cost {
        self.workspace.put(Path::new("notes/compiler"), "0");
        self.workspace.put(Path::new("notes/linker"), "0");
        let notes = self.workspace.path("notes");
        let wrapper = std::env::current_exe().unwrap();
        let mut cargo = self.workspace.cargo(command, &program.name());
        let status = cargo
            .env("RUSTC_WRAPPER", &wrapper)
            .env("RUSTFLAGS", format!("-Clinker={}", wrapper.display()))
            .env(NOTES, &notes)
            .env(CRATE, program.name().replace('-', "_"))
            .status()
            .unwrap();
        assert!(status.success(), "cargo {command} failed for {}", program.name());
        Cost::read(&notes)
    }

    fn put_program(&self, program: &Program, run: Option<usize>) {
        for file in program.files(run) {
            self.workspace.put(&Path::new(&program.name()).join(file.path), &file.text);
        }
    }
}

fn dependencies(kind: Kind) -> String {
    match kind {
        Kind::Toolwrit => engine(),
        Kind::Rmcp => "rmcp = { version = \"3.9\", features = [\"transport-io\"] }
schemars = \"1.2\"
serde = { version = \"1\", features = [\"derive\"] }
tokio = { version = \"1\", features = [\"rt-multi-thread\", \"macros\"] }\n"
            .to_owned(),
    }
}
