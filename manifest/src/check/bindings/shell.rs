//! Values in words that a shell reads as commands.

use crate::check::names::optional::split_optional;
use crate::diagnostics::{Place, Problem, Report};
use crate::raw::RawTemplate;
use crate::yaml::{Kind, Node};

/// Programs that read one word as commands: the one after an option such as `-c`.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "fish", "ksh", "zsh"];
/// Programs that read all words as commands, except those after a script.
const POWER_SHELLS: [&str; 2] = ["powershell", "pwsh"];

/// Reports a value in a word that a shell reads as commands.
pub(super) fn code_is_literal(program: &str, words: &[RawTemplate], report: &mut Report) {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let name = name.trim_end_matches(".exe");
    let words: Vec<Word<'_>> = words.iter().flat_map(|word| Word::from_node(&word.0)).collect();
    let (value, help) = if SHELLS.contains(&name) {
        let help =
            "use the parameters of the shell, such as \"$1\" in `'..'` after `sh -c`, or no shell";
        (value_in_code(&words), help)
    } else if POWER_SHELLS.contains(&name) {
        let help = "write a script, and the values after `-File` and the script, or use no shell";
        (value_before_script(&words), help)
    } else {
        return;
    };
    if let Some(place) = value {
        report.push(
            Problem::error(place, "a shell reads this word as commands, also values in it")
                .help(help),
        );
    }
}

/// A word as it is written, or one of an option with a value.
struct Word<'a> {
    text: &'a str,
    place: Place,
    has_value: bool,
}

impl<'a> Word<'a> {
    fn from_node(node: &'a Node) -> Vec<Self> {
        match &node.kind {
            Kind::Text(text) => {
                let text = text.value.as_str();
                let has_value = match text.strip_prefix('$') {
                    Some(rest) => !rest.starts_with('$'),
                    None => text.replace("{{", "").contains('{'),
                };
                vec![Self { text, place: node.place, has_value }]
            }
            Kind::Mapping(options) => options
                .iter()
                .flat_map(|(key, node)| {
                    let (text, _) = split_optional(&key.value);
                    let option = Self { text, place: key.place, has_value: false };
                    [option, Self { text: "$", place: node.place, has_value: true }]
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    fn is_option(&self) -> bool {
        self.text.starts_with(['-', '+'])
    }

    /// Whether an option of a shell may say that code follows: `-c`, one of several letters, or a word for it.
    fn takes_code(&self) -> bool {
        let Some(name) = self.text.strip_prefix('-') else { return false };
        match name.strip_prefix('-') {
            Some(long) => long.contains("command"),
            None => self.has_value || name.to_lowercase().contains('c'),
        }
    }

    /// Whether an option is a word, or its first letters. PowerShell knows `-Command` also as `-c`.
    fn begins(&self, word: &str) -> bool {
        let name = self.text.trim_start_matches(['-', '/']).to_lowercase();
        name.len() < self.text.len() && !name.is_empty() && word.starts_with(&name)
    }
}

/// The first value from an option that takes code to the code, which is the first word that belongs to no option.
fn value_in_code(words: &[Word<'_>]) -> Option<Place> {
    let start = words.iter().position(Word::takes_code)?;
    let mut is_of_option = false;
    for word in &words[start..] {
        if word.has_value {
            return Some(word.place);
        }
        if !word.is_option() && !is_of_option {
            return None;
        }
        // As in `-o pipefail`.
        is_of_option = word.is_option() && word.text.ends_with(['o', 'O']);
    }
    None
}

/// The first value that does not stand after `-File` and a script.
fn value_before_script(words: &[Word<'_>]) -> Option<Place> {
    let last = words.iter().position(|word| {
        ["file", "command", "encodedcommand"].iter().any(|option| word.begins(option))
    });
    let script = last.filter(|at| words[*at].begins("file")).map(|at| at + 2);
    let read = script.and_then(|end| words.get(..end)).unwrap_or(words);
    read.iter().find(|word| word.has_value).map(|word| word.place)
}
