//! An editor whose client of the Language Server Protocol is that of pygls.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met};

const INSTALL: &str = "tests/lsp/install";

/// The place in a text at which the user is.
pub(crate) const HERE: char = '‸';

pub(crate) struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What the server says about itself.
    pub(crate) greeting: Value,
    _data: TempDir,
}

impl Editor {
    /// Starts `toolwrit lsp` with these arguments. `None` if the client is not installed.
    pub(crate) fn start(arguments: &[&str]) -> Option<Self> {
        Self::start_with(arguments, &json!({}))
    }

    /// The same, with options of the client: `answer` to questions, and `encodings`.
    pub(crate) fn start_with(arguments: &[&str], options: &Value) -> Option<Self> {
        let folder = workspace().join("tests/lsp");
        let python = folder.join(".venv/bin/python");
        if !met(&[Need::Program(&python, (3, 11))], INSTALL) {
            return None;
        }
        let data = TempDir::new().unwrap();
        let program = toolwrit().to_str().unwrap();
        let command = json!([&[program, "lsp"], arguments].concat()).to_string();
        let mut child = Command::new(python)
            .arg(folder.join("drive.py"))
            .args([command, options.to_string()])
            .env("TOOLWRIT_DATA_DIR", data.path())
            .current_dir(data.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut editor = Self { child, input, output, greeting: Value::Null, _data: data };
        editor.greeting = editor.answer();
        Some(editor)
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    pub(crate) fn step(&mut self, step: &Value) -> Value {
        writeln!(self.input, "{step}").unwrap();
        self.answer()
    }

    /// The same for a step at the mark in a text.
    fn at(&mut self, step: &str, file: &Path, marked: &str) -> Value {
        let before = marked.split(HERE).next().unwrap();
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap().encode_utf16().count();
        self.step(&json!({ "do": step, "uri": uri(file), "line": line, "character": column }))
    }

    /// Opens a file with this text, which may differ from the saved one. A mark is left out.
    pub(crate) fn open(&mut self, file: &Path, text: &str) {
        let language =
            if file.extension().is_some_and(|end| end == "md") { "markdown" } else { "yaml" };
        let text = text.replace(HERE, "");
        self.step(&json!({ "do": "open", "uri": uri(file), "text": text, "language": language }));
    }

    pub(crate) fn change(&mut self, file: &Path, text: &str) {
        self.step(&json!({ "do": "change", "uri": uri(file), "text": text.replace(HERE, "") }));
    }

    /// What can be typed at the mark, best first.
    pub(crate) fn complete(&mut self, file: &Path, marked: &str) -> Vec<Value> {
        let found = self.at("complete", file, marked);
        let mut items = found["items"].as_array().unwrap_or_else(|| panic!("{found}")).clone();
        items.sort_by_key(|item| item["sortText"].as_str().unwrap_or_default().to_owned());
        items
    }

    /// What is said about the place of the mark.
    pub(crate) fn hover(&mut self, file: &Path, marked: &str) -> String {
        self.at("hover", file, marked)["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// The file and the line, from 0, in which the name at the mark is declared.
    pub(crate) fn define(&mut self, file: &Path, marked: &str) -> Option<(String, u64)> {
        let found = self.at("define", file, marked);
        let path = found["uri"].as_str()?.rsplit('/').next()?.to_owned();
        Some((path, found["range"]["start"]["line"].as_u64()?))
    }

    /// The diagnostics of the newest text of a file: line from 0, and message.
    pub(crate) fn diagnostics(&mut self, file: &Path) -> Vec<(u64, String)> {
        let found = self.step(&json!({ "do": "diagnostics", "uri": uri(file) }));
        let found = found.as_array().unwrap_or_else(|| panic!("{found}"));
        let line = |one: &Value| one["range"]["start"]["line"].as_u64().unwrap();
        found.iter().map(|one| (line(one), one["message"].as_str().unwrap().to_owned())).collect()
    }

    /// Ends the session, and returns the exit code of the server.
    pub(crate) fn stop(mut self) -> i64 {
        self.step(&json!({ "do": "stop" })).as_i64().unwrap()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn uri(file: &Path) -> String {
    format!("file://{}", file.to_str().unwrap().replace(' ', "%20"))
}

pub(crate) fn labels(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["label"].as_str().unwrap()).collect()
}
