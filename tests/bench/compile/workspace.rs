//! A cargo workspace of its own for the programs, under `target/tmp`, so that nothing of this one's
//! profiles, features and flags reaches them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cost::{CRATE, Cost, NOTES};
use crate::program::{Kind, Program};

/// Where the programs are written and built.
pub(crate) struct Workspace {
    home: PathBuf,
}

impl Workspace {
    /// Writes all programs, as they are before any edit.
    pub(crate) fn write(programs: &[Program]) -> Self {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile-cost");
        let workspace = Self { home };
        let names: Vec<String> = programs.iter().map(|p| format!("{:?}", p.name())).collect();
        let root = format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", names.join(", "));
        workspace.put(Path::new("Cargo.toml"), &root);
        // The same versions as here.
        fs::copy(repository().join("Cargo.lock"), workspace.home.join("Cargo.lock")).unwrap();
        for program in programs {
            workspace.put(&Path::new(&program.name()).join("Cargo.toml"), &package(program));
            workspace.put_program(program, None);
        }
        workspace
    }

    /// Builds the program once, uncounted.
    pub(crate) fn build_dependencies(&self, program: &Program) {
        self.cargo(program, "build");
    }

    /// Builds the program's own crate from nothing.
    pub(crate) fn build_clean(&self, program: &Program) -> Cost {
        self.put_program(program, None);
        self.cargo(program, "clean");
        self.cargo(program, "build")
    }

    /// Builds it again after a change of one operation's summary.
    pub(crate) fn build_edited(&self, program: &Program, run: usize) -> Cost {
        self.put_program(program, Some(run));
        self.cargo(program, "build")
    }

    fn cargo(&self, program: &Program, command: &str) -> Cost {
        let notes = self.home.join("notes");
        self.put(Path::new("notes/compiler"), "0");
        self.put(Path::new("notes/linker"), "0");
        let wrapper = std::env::current_exe().unwrap();
        let status = Command::new(env!("CARGO"))
            .args([command, "--quiet", "--package", &program.name()])
            .current_dir(&self.home)
            .env("CARGO_TARGET_DIR", self.home.join("target"))
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
            self.put(&Path::new(&program.name()).join(file.path), &file.text);
        }
    }

    /// Writes a file, unless it holds the text already: cargo goes by the time of change.
    fn put(&self, path: &Path, text: &str) {
        let path = self.home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return;
        }
        fs::write(path, text).unwrap();
    }
}

fn package(program: &Program) -> String {
    let name = program.name();
    let dependencies = match program.kind {
        Kind::Toolwrit => {
            let engine = repository().join("server/engine");
            format!("toolwrit = {{ path = '{}', default-features = false }}\n", engine.display())
        }
        Kind::Rmcp => "rmcp = { version = \"3.9\", features = [\"transport-io\"] }
schemars = \"1.2\"
serde = { version = \"1\", features = [\"derive\"] }
tokio = { version = \"1\", features = [\"rt-multi-thread\", \"macros\"] }\n"
            .to_owned(),
    };
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{dependencies}"
    )
}

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
