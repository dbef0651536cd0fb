//! Calls of operations that are commands, with real programs.

mod ends;
mod failures;
mod surroundings;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolwrit_bindings::WrittenNumbers;
use toolwrit_bindings::model::{
    Command, Commands, List, Path as JsonPath, Read, Reference, ResultTable, Root, Setting,
    SettingOrText, Shape, Text, TextPart, Variable, Word,
};
use toolwrit_bindings::{Answer, Call, CommandRunner, Environment, Result, Settings};

fn text(text: &str) -> Text {
    Text::Owned(text.to_owned())
}

/// A word that is the same always.
fn literal(word: &str) -> Word {
    Word::Text { optional: false, parts: List::Owned(vec![TextPart::Text(text(word))]) }
}

/// `$name`, an argument.
fn argument(name: &str) -> Reference {
    Reference { root: Root::Argument(text(name)), path: JsonPath::ROOT }
}

/// A command that reads, whose result is its output.
fn command(program: &str, words: Vec<Word>) -> Command {
    Command {
        id: text("test.run"),
        program: text(program),
        words: List::Owned(words),
        result: Some(ResultTable { read: Read::Text, shape: Shape::Text }),
        ..Command::BARE
    }
}

/// A script, and its arguments.
fn script(code: &str, arguments: Vec<Word>) -> Command {
    let mut words = vec![literal("-c"), literal(code), literal("script")];
    words.extend(arguments);
    command("sh", words)
}

/// Commands in the folder of a setting, with variables of a text and a secret.
fn commands(folder: &Path) -> CommandRunner {
    let setting = |name: &str| Setting { name: text(name), ..Setting::TEXT };
    let variable = |name: &str, value| Variable { name: text(name), optional: false, value };
    let table = Commands {
        name: text("tests"),
        settings: List::Owned(vec![
            setting("folder"),
            Setting { sensitive: true, per_account: true, ..setting("token") },
            Setting { sensitive: true, optional: true, ..setting("spare") },
        ]),
        folder: Some(SettingOrText::Setting(text("folder"))),
        environment: List::Owned(vec![
            variable("PAGER", SettingOrText::Text(text("cat"))),
            variable("TOKEN", SettingOrText::Setting(text("token"))),
            Variable { optional: true, ..variable("SPARE", SettingOrText::Setting(text("spare"))) },
        ]),
    };
    let given = json!({
        "folder": folder,
        "token": { "env": "SECRET" },
        "accounts": { "anna": { "token": { "env": "SECRET_OF_ANNA" } } },
    });
    let variables = [("SECRET", "s3cret-of-all"), ("SECRET_OF_ANNA", "s3cret-of-anna")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let environment = Environment::from_variables(BTreeMap::from(variables));
    let given = given.as_object().unwrap().clone();
    let settings = Settings::parse(&table.name, &table.settings, given, environment).unwrap();
    CommandRunner::new(Cow::Owned(table), settings)
}

/// A call that is described by changes of [`Calling::new`].
struct Calling {
    arguments: Value,
    account: Option<&'static str>,
    dry_run: bool,
    patience: Duration,
    cancellation: CancellationToken,
}

impl Calling {
    fn new(arguments: Value) -> Self {
        let cancellation = CancellationToken::new();
        let patience = Duration::from_mins(1);
        Self { arguments, account: None, dry_run: false, patience, cancellation }
    }

    async fn run(&self, runner: &CommandRunner, command: &Command) -> Result<Answer> {
        let arguments = self.arguments.as_object().unwrap().clone();
        let call = Call {
            arguments: &arguments,
            numbers: &WrittenNumbers::default(),
            account: self.account,
            page: None,
            dry_run: self.dry_run,
            deadline: Instant::now() + self.patience,
            cancellation: self.cancellation.clone(),
        };
        runner.call(command, &call).await
    }
}

/// The result of a call in an empty folder.
async fn value(command: &Command, arguments: Value) -> Result<Value> {
    let folder = tempfile::tempdir().unwrap();
    let runner = commands(folder.path());
    Calling::new(arguments).run(&runner, command).await.map(|answer| answer.value)
}
