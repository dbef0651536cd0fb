//! Operations that are commands of this machine. No shell reads them, and each call runs its command once.

mod output;
mod process;

use std::borrow::Cow;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use toolwrit_text::Secrets;

use crate::call::{Answer, Call};
use crate::failure::{Failure, Result};
use crate::model::{Command, Commands, Effect};
use crate::render::Scope;
use crate::settings::Settings;
use crate::surroundings::{Surroundings, fixed_folder};
use crate::words;
use output::shortened_to_end;
use process::{Ended, Trouble};

/// Length limit of what a command says about a failure, in characters.
const MAX_MESSAGE: usize = 500;

/// The commands of a provider, with the settings of its operator.
pub struct CommandRunner {
    table: Cow<'static, Commands>,
    settings: Settings,
}

impl CommandRunner {
    /// Commands with these settings. Runs nothing before the first call.
    pub fn new(table: Cow<'static, Commands>, settings: Settings) -> Self {
        Self { table, settings }
    }

    /// Whether accounts have their own settings. If so, no result may be kept for other accounts.
    pub fn is_per_account(&self) -> bool {
        self.table.settings.iter().any(|setting| setting.per_account)
    }

    /// Identifies what the commands change for an account. No secret is a part of it.
    pub fn location(&self, account: Option<&str>) -> String {
        self.settings.location(
            &fixed_folder(self.table.folder.as_ref()),
            self.account_with_settings(account),
        )
    }

    /// The account, if accounts have their own settings.
    fn account_with_settings<'a>(&self, account: Option<&'a str>) -> Option<&'a str> {
        account.filter(|_| self.is_per_account())
    }

    /// Looks for the folder, the variables and the programs. Runs nothing.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` with what is missing.
    pub async fn probe<'p>(
        &self,
        programs: impl IntoIterator<Item = &'p str>,
        account: Option<&str>,
    ) -> Result<()> {
        let surroundings = self.surroundings(self.account_with_settings(account));
        surroundings.folder(self.table.folder.as_ref())?;
        surroundings.variables(&self.table.environment).await?;
        programs.into_iter().try_for_each(|program| self.program(program).map(drop))
    }

    /// Carries out a call. Its processes end when the command, the call or the future ends.
    ///
    /// # Errors
    /// Why it failed. A failure of a write says whether the command may have begun.
    pub async fn call(&self, command: &Command, call: &Call<'_>) -> Result<Answer> {
        let started = AtomicBool::new(false);
        let answer = self.run(command, call, &started);
        call.ended_in_time(&self.table.name, (command.effect, &started), answer).await
    }

    async fn run(
        &self,
        command: &Command,
        call: &Call<'_>,
        started: &AtomicBool,
    ) -> Result<Answer> {
        let account = self.account_with_settings(call.account);
        let scope = Scope::new(call.arguments, self.settings.plain(account)).writing(call.numbers);
        let words = words::words(&command.words, &scope)?;
        let answer = |value| Ok(Answer { value, next: None, total: None });
        if call.dry_run {
            let program = std::iter::once(command.program.to_string());
            return answer(json!({ "command": program.chain(words).collect::<Vec<_>>() }));
        }
        let surroundings = self.surroundings(account);
        let folder = surroundings.folder(self.table.folder.as_ref())?;
        let variables = surroundings.variables(&self.table.environment).await?;
        let mut process = tokio::process::Command::new(self.program(&command.program)?);
        process.args(words).stdin(Stdio::null()).env_clear();
        let all = variables.all.iter().map(|(name, value)| (name, value.expose_secret()));
        process.envs(all);
        if let Some(folder) = folder {
            process.current_dir(folder);
        }
        let ended = process::run(process, started).await;
        let ended = ended.map_err(|trouble| self.trouble(command, trouble))?;
        if !ended.status.success() {
            return Err(self.failed(command, &ended, &variables.secrets));
        }
        let value = output::value(&self.table.name, command, &ended.output, &scope)?;
        answer(Secrets::from_secrets(&variables.secrets).mask_value(value))
    }

    fn surroundings<'a>(&'a self, account: Option<&'a str>) -> Surroundings<'a> {
        let Commands { name, settings, .. } = &*self.table;
        Surroundings { provider: name, declared: settings, settings: &self.settings, account }
    }

    /// Finds a program in the folders of this process's `PATH`.
    fn program(&self, name: &str) -> Result<PathBuf> {
        which::which(name).map_err(|_| {
            let provider = &self.table.name;
            Failure::unavailable(format!("The program `{name}` of {provider} is not installed."))
                .hinting("The operator of this server installs it, or adds its folder to PATH.")
        })
    }

    fn trouble(&self, command: &Command, trouble: Trouble) -> Box<Failure> {
        let (program, provider) = (&command.program, &self.table.name);
        let failure = match trouble {
            Trouble::NotStarted(error) => {
                return Failure::unavailable(format!(
                    "The program `{program}` of {provider} cannot be run: {error}."
                ));
            }
            Trouble::TooLarge => Failure::new(
                crate::model::Code::ResultTooLarge,
                format!(
                    "`{program}` of {provider} wrote more than {} MiB.",
                    process::MAX_OUTPUT >> 20
                ),
            )
            .hinting("Ask for less."),
            Trouble::Lost(error) => {
                Failure::upstream(format!("`{program}` of {provider} failed: {error}."))
            }
        };
        perhaps_changed(command, failure)
    }

    /// The failure of a command that says itself that it failed.
    fn failed(&self, command: &Command, ended: &Ended, secrets: &[SecretString]) -> Box<Failure> {
        let (program, provider) = (&command.program, &self.table.name);
        let longest = secrets.iter().map(|secret| secret.expose_secret().len()).max();
        let errors = ended.errors.text(longest.unwrap_or_default());
        let said =
            shortened_to_end(Secrets::from_secrets(secrets).mask(&errors).trim(), MAX_MESSAGE);
        let said = if said.is_empty() { said } else { format!(": {said}") };
        let end = if said.ends_with(['.', '!', '?']) { "" } else { "." };
        let how = match ended.status.code() {
            Some(code) => format!("with exit code {code}"),
            None => "by a signal".to_owned(),
        };
        let message = format!("`{program}` of {provider} ended {how}{said}{end}");
        perhaps_changed(command, Failure::upstream(message))
    }
}

/// A failure of a command that has run, and is not repeated.
fn perhaps_changed(command: &Command, failure: Box<Failure>) -> Box<Failure> {
    let failure = failure.sent().permanent();
    if command.effect != Effect::Read {
        return failure
            .hinting("A part of the change may have been made. Read before you repeat it.");
    }
    failure
}
