//! What a program needs besides its words: its folder, its variables, and the secrets among them.

use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};

use crate::failure::{Failure, Result};
use crate::model::{Setting, SettingOrText, Variable};
use crate::settings::Settings;

/// The settings of a provider for one account.
pub(crate) struct Surroundings<'a> {
    pub(crate) provider: &'a str,
    pub(crate) declared: &'a [Setting],
    pub(crate) settings: &'a Settings,
    pub(crate) account: Option<&'a str>,
}

/// Values by their names, and the secrets among them.
pub(crate) struct Variables {
    pub(crate) all: Vec<(String, SecretString)>,
    pub(crate) secrets: Vec<SecretString>,
}

/// Returns the folder, which is that of this process if there is none; empty if a setting says it.
pub(crate) fn fixed_folder(folder: Option<&SettingOrText>) -> String {
    match folder {
        None => std::env::current_dir().unwrap_or_default().display().to_string(),
        Some(SettingOrText::Text(path)) => path.to_string(),
        Some(SettingOrText::Setting(_)) => String::new(),
    }
}

impl Surroundings<'_> {
    /// The folder; `None` for that of this process.
    pub(crate) fn folder(&self, folder: Option<&SettingOrText>) -> Result<Option<PathBuf>> {
        let provider = self.provider;
        let (folder, hint) = match folder {
            None => return Ok(None),
            Some(SettingOrText::Text(path)) => {
                (path.to_string(), "The operator of this server creates it.".to_owned())
            }
            Some(SettingOrText::Setting(name)) => {
                let hint =
                    format!("The operator of this server sets `providers.{provider}.{name}`.");
                (self.plain(name)?, hint)
            }
        };
        let path = Path::new(&folder);
        if path.is_absolute() && path.is_dir() {
            return Ok(Some(path.to_owned()));
        }
        let message = format!("`{folder}` is not the absolute path of a folder.");
        Err(Failure::unavailable(message).hinting(hint))
    }

    /// A setting that is a text and no secret.
    pub(crate) fn plain(&self, name: &str) -> Result<String> {
        let value = self.settings.plain(self.account).get(name);
        let value = value.and_then(|value| value.as_str());
        value.map(str::to_owned).ok_or_else(|| {
            let provider = self.provider;
            Failure::unavailable(format!("The setting `{name}` of {provider} is missing."))
                .hinting(format!("The operator of this server sets `providers.{provider}.{name}`."))
        })
    }

    /// The values of variables or headers.
    pub(crate) async fn variables(&self, declared: &[Variable]) -> Result<Variables> {
        let mut variables = Variables { all: Vec::new(), secrets: Vec::new() };
        for variable in declared {
            let name = variable.name.to_string();
            let value = match &variable.value {
                SettingOrText::Text(text) => text.as_ref().into(),
                SettingOrText::Setting(setting) => {
                    let setting = self.setting(setting)?;
                    let Some(value) = self.settings.text(setting, self.account).await? else {
                        if variable.optional {
                            continue;
                        }
                        let (provider, setting) = (self.provider, &setting.name);
                        return Err(Failure::unavailable(format!(
                            "The setting `{setting}` of {provider} is missing."
                        )));
                    };
                    if setting.sensitive {
                        variables.secrets.push(value.clone());
                    }
                    value
                }
            };
            if value.expose_secret().contains('\0') {
                let message = format!("The value of the variable {name} contains NUL.");
                return Err(Failure::unavailable(message));
            }
            variables.all.push((name, value));
        }
        Ok(variables)
    }

    /// A declared setting.
    pub(crate) fn setting(&self, name: &str) -> Result<&Setting> {
        let found = self.declared.iter().find(|setting| setting.name == name);
        found.ok_or_else(|| Failure::defect(format_args!("there is no setting `{name}`")))
    }
}
