use serde::Deserialize;

use super::{Effect, List, Reference, ResultTable, Setting, SettingOrText, Text};

/// Commands of the server's machine, as a provider in the manifest describes them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Commands {
    /// The name of the provider, such as `git`.
    pub name: Text,
    /// What the operator must say.
    pub settings: List<Setting>,
    /// The folder in which the commands run; `None` for that of this process.
    pub folder: Option<SettingOrText>,
    /// The variables that the commands see. They see no others.
    pub environment: List<Variable>,
}

impl Commands {
    /// Commands without settings and variables. Tables are written as changes of this one.
    pub const BARE: Self = Self {
        name: Text::Borrowed(""),
        settings: List::Borrowed(&[]),
        folder: None,
        environment: List::Borrowed(&[]),
    };
}

impl Default for Commands {
    /// [`Self::BARE`].
    fn default() -> Self {
        Self::BARE
    }
}

/// A variable of the environment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Variable {
    pub name: Text,
    /// Whether it is left out if its setting is missing.
    #[serde(default)]
    pub optional: bool,
    /// Its value.
    pub value: SettingOrText,
}

/// How an operation is bound to a command.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Command {
    /// Its id, such as `git.log`.
    pub id: Text,
    /// Whether it changes something.
    pub effect: Effect,
    /// The program: a name, or an absolute path.
    pub program: Text,
    /// The words after the program.
    pub words: List<Word>,
    /// How the result is read from the output; `None` if the output does not matter.
    pub result: Option<ResultTable>,
}

impl Command {
    /// A command without a program. Tables are written as changes of this one.
    pub const BARE: Self = Self {
        id: Text::Borrowed(""),
        effect: Effect::Read,
        program: Text::Borrowed(""),
        words: List::Borrowed(&[]),
        result: None,
    };
}

impl Default for Command {
    /// [`Self::BARE`].
    fn default() -> Self {
        Self::BARE
    }
}

/// A word of a command, or several. No word that begins with a value begins with `-`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// One word, with slots for values.
    Text {
        /// Whether it is left out if a value is absent.
        #[serde(default)]
        optional: bool,
        parts: List<TextPart>,
    },
    /// A value as a word, or each item of a list.
    Values {
        /// Whether it is left out if the value is absent.
        #[serde(default)]
        optional: bool,
        /// The value.
        value: Reference,
    },
    /// An option, followed by its value; for a list, once for each item. For a truth value, the option alone if it is
    /// true, and nothing if it is false.
    Option {
        /// The option, such as `--author`.
        name: Text,
        /// Whether it is left out if the value is absent.
        #[serde(default)]
        optional: bool,
        /// The value.
        value: Reference,
    },
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextPart {
    /// The text itself, such as `--max=`.
    Text(Text),
    /// A value.
    Value(Reference),
}
