//! Operations that are tools of another server: where it is, the arguments of a call, and the result of an answer. Whoever
//! makes the connection calls the tool.

use std::collections::BTreeMap;
use std::path::PathBuf;

use reqwest::header::HeaderMap;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use toolwrit_text::Secrets;

use crate::failure::{Failure, Result};
use crate::model::{Endpoint, Read, Server, SettingOrText, Tool, ToolResult};
use crate::render::{Absent, Scope};
use crate::response::AnswerReader;
use crate::settings::Settings;
use crate::surroundings::{Surroundings, fixed_folder};
use crate::words;

/// A server with tools, with the settings of its operator.
pub struct BoundTools {
    table: Server,
    settings: Settings,
}

/// Where a server is, with the settings of one account.
pub enum ServerAddress {
    /// A program of this machine.
    Program {
        /// The program: a name, or an absolute path.
        program: String,
        /// The words after the program.
        words: Vec<String>,
        /// The folder in which it runs; `None` for that of this process.
        folder: Option<PathBuf>,
        /// The variables that it sees besides the usual ones.
        variables: BTreeMap<String, SecretString>,
    },
    /// A server elsewhere.
    Remote {
        url: String,
        /// Headers of each request, also `Authorization`.
        headers: BTreeMap<String, SecretString>,
    },
}

/// What a tool has answered.
#[derive(Debug, Clone, Default)]
pub struct ToolAnswer {
    /// Content blocks.
    pub content: Vec<Value>,
    /// The structured content, if there is any.
    pub structured: Option<Value>,
}

impl BoundTools {
    /// Tools of a server with these settings.
    pub fn new(table: Server, settings: Settings) -> Self {
        Self { table, settings }
    }

    /// The name of the provider.
    pub fn name(&self) -> &str {
        &self.table.name
    }

    /// Whether accounts have their own settings. If so, each has a connection of its own.
    pub fn is_per_account(&self) -> bool {
        self.table.settings.iter().any(|setting| setting.per_account)
    }

    /// Identifies what the tools change for an account. No secret is a part of it.
    pub fn location(&self, account: Option<&str>) -> String {
        let account = account.filter(|_| self.is_per_account());
        let location = match &self.table.endpoint {
            Endpoint::Command { program, words, folder, .. } => {
                let arguments = Map::new();
                let scope = Scope::new(&arguments, self.settings.plain(account));
                // Without a setting that they need, it cannot be called either.
                let words = words::words(words, &scope).unwrap_or_default().join(" ");
                format!("{program} {words} in {}", fixed_folder(folder.as_ref()))
            }
            Endpoint::Remote { url: SettingOrText::Text(url), .. } => url.to_string(),
            Endpoint::Remote { url: SettingOrText::Setting(_), .. } => String::new(),
        };
        self.settings.location(&location, account)
    }

    /// Returns where the server is for an account, and the secrets that nothing it sends may repeat.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` if a setting or the folder is missing.
    pub async fn address(&self, account: Option<&str>) -> Result<(ServerAddress, Secrets)> {
        let surroundings = Surroundings {
            provider: &self.table.name,
            declared: &self.table.settings,
            settings: &self.settings,
            account,
        };
        match &self.table.endpoint {
            Endpoint::Command { program, words, folder, environment } => {
                let arguments = Map::new();
                let scope = Scope::new(&arguments, self.settings.plain(account));
                let variables = surroundings.variables(environment).await?;
                let secrets = Secrets::from_secrets(&variables.secrets);
                let program = ServerAddress::Program {
                    program: program.to_string(),
                    words: words::words(words, &scope)?,
                    folder: surroundings.folder(folder.as_ref())?,
                    variables: variables.all.into_iter().collect(),
                };
                Ok((program, secrets))
            }
            Endpoint::Remote { url, headers, bearer } => {
                let url = match url {
                    SettingOrText::Text(url) => url.to_string(),
                    SettingOrText::Setting(name) => surroundings.plain(name)?,
                };
                let variables = surroundings.variables(headers).await?;
                let secrets = Secrets::default();
                for secret in &variables.secrets {
                    secrets.add_header(secret);
                }
                let mut headers: BTreeMap<String, SecretString> =
                    variables.all.into_iter().collect();
                if let Some(name) = bearer {
                    let setting = surroundings.setting(name)?;
                    let token = self.settings.credential(setting, account).await?;
                    secrets.add(&token);
                    let value = format!("Bearer {}", token.expose_secret());
                    headers.insert("Authorization".to_owned(), value.into());
                }
                Ok((ServerAddress::Remote { url, headers }, secrets))
            }
        }
    }

    /// Returns the arguments of a call of a tool.
    ///
    /// # Errors
    /// If a value that is not optional is absent.
    pub fn arguments(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
        account: Option<&str>,
    ) -> Result<Map<String, Value>> {
        let scope = Scope::new(arguments, self.settings.plain(account));
        let mut filled = Map::new();
        for entry in &*tool.arguments {
            let value = scope.entry(entry).map_err(Absent::into_failure)?;
            filled.extend(value.map(|value| (entry.name.to_string(), value)));
        }
        Ok(filled)
    }

    /// Reads the result of a call; null if the answer does not matter.
    ///
    /// # Errors
    /// `UPSTREAM_ERROR` if the answer is not what the table says.
    pub fn result(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
        account: Option<&str>,
        answer: ToolAnswer,
    ) -> Result<Value> {
        let table = match &tool.result {
            None => return Ok(Value::Null),
            Some(ToolResult::Content) => return Ok(Value::Array(answer.content)),
            Some(ToolResult::Value(table)) => table,
        };
        let ToolAnswer { content, structured } = answer;
        if table.read == Read::Text {
            return self.text(tool, &content, structured).map(Value::from);
        }
        let body = match structured {
            Some(structured) => structured,
            None => self.parsed(tool, &content)?,
        };
        let headers = HeaderMap::new();
        let scope = Scope::new(arguments, self.settings.plain(account));
        let provider = &*self.table.name;
        let reader =
            AnswerReader { provider, shapes: &[], headers: &headers, scope: &scope, unread: None };
        reader.result(table, &body)
    }

    /// The texts of an answer, or its structured content as JSON.
    fn text(&self, tool: &Tool, content: &[Value], structured: Option<Value>) -> Result<String> {
        let texts: Vec<&str> = texts(content).collect();
        match structured {
            _ if !texts.is_empty() => Ok(texts.join("\n")),
            Some(structured) => Ok(structured.to_string()),
            None if content.is_empty() => Ok(String::new()),
            None => Err(self.wrong(tool, "text")),
        }
    }

    /// The structured content of a server that answers with its JSON as text.
    fn parsed(&self, tool: &Tool, content: &[Value]) -> Result<Value> {
        let mut texts = texts(content);
        let parsed = match (texts.next(), texts.next()) {
            (Some(only), None) => serde_json::from_str(only).ok(),
            _ => None,
        };
        parsed.ok_or_else(|| self.wrong(tool, "JSON"))
    }

    fn wrong(&self, tool: &Tool, what: &str) -> Box<Failure> {
        let (name, provider) = (&tool.tool, &self.table.name);
        Failure::upstream(format!("The answer of the tool `{name}` of {provider} is not {what}."))
            .sent()
            .permanent()
    }
}

fn texts(content: &[Value]) -> impl Iterator<Item = &str> {
    content
        .iter()
        .filter(|block| block["type"] == "text")
        .filter_map(|block| block["text"].as_str())
}
