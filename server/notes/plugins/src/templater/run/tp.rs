//! `tp`: what Templater offers to templates.

use std::rc::Rc;

use super::builtins::{Module, TpFunction};
use super::convert::Arguments;
use super::heap::Object;
use super::value::Value;
use super::{Outcome, Position, Run};
use crate::templater::parameters::Parameters;
use crate::templater::refused::refusal;
use crate::templater::script::{self, Fault, Limit, Reason};
use toolwrit_moment::{Duration, Unit};

/// How deep templates may include each other, as in Templater.
const INCLUDES: usize = 10;

impl Run<'_> {
    pub(super) fn tp_member(
        &mut self,
        position: Position,
        module: Module,
        name: &str,
    ) -> Outcome<Value> {
        let full = format!("{}.{name}", module.name());
        if let Some(why) = refusal(&full) {
            return Err(Fault::new(
                position,
                Reason::Refused { what: format!("`{full}`").into(), why },
            ));
        }
        if let Some(function) = TpFunction::parse(module, name) {
            return Ok(Value::TpFunction(function));
        }
        match (module, name) {
            (Module::Tp, "date") => Ok(Value::Tp(Module::Date)),
            (Module::Tp, "file") => Ok(Value::Tp(Module::File)),
            (Module::Tp, "system") => Ok(Value::Tp(Module::System)),
            (Module::Tp, "mcpTools") => Ok(Value::Tp(Module::McpTools)),
            (Module::Tp, "frontmatter") => {
                let properties = self.environment.properties();
                self.convert_from_json(position, &serde_json::Value::Object(properties))
            }
            (Module::Tp, "config") => self.config(position),
            (Module::File, "title") => {
                let title = self.environment.title();
                self.string(position, &title)
            }
            (Module::File, "content") => {
                let content = self.environment.content().to_owned();
                self.string(position, &content)
            }
            (Module::File, "tags") => {
                let tags = self.environment.tags();
                self.texts(position, tags.into_iter().map(|tag| format!("#{tag}")))
            }
            _ => Self::unsupported_failure(position, format!("`{full}`")),
        }
    }

    fn config(&mut self, position: Position) -> Outcome<Value> {
        let template = self.environment.template().to_owned();
        let target = self.environment.target_path();
        let entries = [
            ("template_file", self.file(position, &template)?),
            ("target_file", self.file(position, &target)?),
            // Creating a new note from a template.
            ("run_mode", Value::Number(0.0)),
            ("active_file", Value::Null),
        ];
        let entries: Object =
            entries.into_iter().map(|(key, value)| (Rc::from(key), value)).collect();
        self.object(position, entries)
    }

    /// What templates read of a file of Obsidian.
    fn file(&mut self, position: Position, path: &str) -> Outcome<Value> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let parent = [("path", folder), ("name", folder.rsplit('/').next().unwrap_or_default())];
        let parent = self.text_object(position, &parent)?;
        let entries =
            [("path", path), ("name", name), ("basename", stem), ("extension", extension)];
        let file = self.text_object(position, &entries)?;
        if let Value::Object(id) = file {
            self.heap.object_mut(id).insert("parent".into(), parent);
        }
        Ok(file)
    }

    fn text_object(&mut self, position: Position, entries: &[(&str, &str)]) -> Outcome<Value> {
        let mut object = Object::new();
        for (key, text) in entries {
            object.insert(Rc::from(*key), self.string(position, text)?);
        }
        self.object(position, object)
    }

    pub(super) fn apply_tp(
        &mut self,
        position: Position,
        function: TpFunction,
        arguments: Vec<Value>,
    ) -> Outcome<Value> {
        let mut arguments = Arguments(arguments);
        match function {
            TpFunction::Now
            | TpFunction::Tomorrow
            | TpFunction::Yesterday
            | TpFunction::Weekday => self.date(position, function, &mut arguments),
            TpFunction::Prompt | TpFunction::NamedPrompt => {
                self.prompt(position, function, &mut arguments)
            }
            TpFunction::Suggester => self.suggester(position, false, &mut arguments),
            TpFunction::MultiSuggester => self.suggester(position, true, &mut arguments),
            TpFunction::Include => self.include(position, &arguments.next()),
            TpFunction::Cursor | TpFunction::Selection => self.string(position, ""),
            TpFunction::CreationDate | TpFunction::LastModifiedDate => {
                let format = self.text_or(position, &mut arguments, "YYYY-MM-DD HH:mm")?;
                let moment = self.environment.modified_time();
                self.date_text(position, &moment, &format)
            }
            TpFunction::Path | TpFunction::Folder => {
                let full = arguments.next().is_truthy();
                let path = self.environment.target_path();
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                match (function, full) {
                    (TpFunction::Path, true) => self.string(position, &path),
                    (TpFunction::Path, false) => {
                        let what = "`tp.file.path()`".into();
                        let why = "paths outside of the vault are not disclosed; use `tp.file.path(true)`";
                        Err(Fault::new(position, Reason::Refused { what, why }))
                    }
                    (_, true) => self.string(position, folder),
                    (_, false) => {
                        let name = folder.rsplit('/').next().unwrap_or_default();
                        self.string(position, name)
                    }
                }
            }
            TpFunction::Exists => {
                let path = self.text_or(position, &mut arguments, "")?;
                Ok(Value::Boolean(self.environment.exists(&path)))
            }
            TpFunction::FindFile => {
                let name = self.text_or(position, &mut arguments, "")?;
                match self.environment.find(&name) {
                    Some(path) => self.file(position, &path),
                    None => Ok(Value::Null),
                }
            }
            TpFunction::Rename | TpFunction::Move => {
                let path = self.text_or(position, &mut arguments, "")?;
                let moved = if function == TpFunction::Rename {
                    self.environment.rename(&path)
                } else {
                    self.environment.relocate(&path)
                };
                match moved {
                    Ok(()) => self.string(position, ""),
                    Err(reason) => Self::failure(position, reason),
                }
            }
        }
    }

    /// The next argument as text, or a default.
    fn text_or(
        &mut self,
        position: Position,
        arguments: &mut Arguments,
        default: &str,
    ) -> Outcome<String> {
        match arguments.next_given() {
            Some(value) => Ok(self.convert_to_text(position, &value)?.into_owned()),
            None => Ok(default.to_owned()),
        }
    }

    fn date(
        &mut self,
        position: Position,
        function: TpFunction,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let format = self.text_or(position, arguments, "YYYY-MM-DD")?;
        let days = |days| Duration::new(days, Unit::Day);
        let moment = match function {
            TpFunction::Tomorrow => self.now().plus(days(1.0)),
            TpFunction::Yesterday => self.now().plus(days(-1.0)),
            TpFunction::Weekday => {
                let weekday = arguments.next();
                let weekday = self.convert_to_number(position, &weekday)?;
                self.reference_date(position, arguments)?
                    .on_weekday(jiff::civil::Weekday::Sunday, weekday)
            }
            _ => {
                let offset = match arguments.next() {
                    Value::String(text) => Duration::parse_iso(&text),
                    Value::Number(number) => days(number),
                    _ => Duration::default(),
                };
                self.reference_date(position, arguments)?.plus(offset)
            }
        };
        self.date_text(position, &moment, &format)
    }

    fn prompt(
        &mut self,
        position: Position,
        function: TpFunction,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let question = self.text_or(position, arguments, "")?;
        let default = if function == TpFunction::Prompt { arguments.next_given() } else { None };
        let default = default.filter(|default| !default.is_nullish());
        let Some(name) = self.parameters.name_at(position) else {
            return Self::unsupported_failure(position, "a prompt that is not called by its name");
        };
        let answer = self.environment.argument(name);
        match (answer, default) {
            (Some(serde_json::Value::String(text)), _) => self.string(position, text),
            (Some(answer), _) => self.string(position, &answer.to_string()),
            (None, Some(default)) => Ok(default),
            (None, None) => {
                let parameter = name.to_owned();
                Err(Fault::new(position, Reason::Unanswered { parameter, question }))
            }
        }
    }

    /// The item that the answer names: by its text, or by the item itself.
    fn suggester(
        &mut self,
        position: Position,
        several: bool,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let (texts, items) = (arguments.next(), arguments.next());
        let items = self.elements(position, &items)?;
        let labels = match &texts {
            Value::Array(_) => self.elements(position, &texts)?,
            function => {
                let mut labels = Vec::new();
                for item in &items {
                    labels.push(self.apply(position, function, vec![item.clone()])?);
                }
                labels
            }
        };
        let Some(name) = self.parameters.name_at(position) else {
            return Self::unsupported_failure(
                position,
                "a suggester that is not called by its name",
            );
        };
        let (name, environment) = (name.to_owned(), self.environment);
        let Some(answer) = environment.argument(&name) else {
            let question = "which item to choose".to_owned();
            return Err(Fault::new(position, Reason::Unanswered { parameter: name, question }));
        };
        if !several {
            return self.chosen_items(position, &name, answer, &labels, &items);
        }
        let answers = match answer {
            serde_json::Value::Array(answers) => answers.as_slice(),
            single => std::slice::from_ref(single),
        };
        let mut chosen = Vec::new();
        for answer in answers {
            chosen.push(self.chosen_items(position, &name, answer, &labels, &items)?);
        }
        self.array(position, chosen)
    }

    fn chosen_items(
        &mut self,
        position: Position,
        parameter: &str,
        answer: &serde_json::Value,
        labels: &[Value],
        items: &[Value],
    ) -> Outcome<Value> {
        const MOST_NAMED: usize = 20;
        let answer = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
        let mut known = Vec::new();
        for (label, item) in labels.iter().zip(items) {
            let label = self.convert_to_text(position, label)?.into_owned();
            if label == answer || self.convert_to_text(position, item)? == answer {
                return Ok(item.clone());
            }
            known.push(label);
        }
        let more = if known.len() > MOST_NAMED { ", .." } else { "" };
        known.truncate(MOST_NAMED);
        let expected = format!("one of: {}{more}", known.join(", "));
        let got = format!("`{answer}`");
        let parameter = parameter.to_owned();
        Err(Fault::new(position, Reason::Misanswered { parameter, expected, got }))
    }

    /// Runs another note as a template, and returns its text.
    fn include(&mut self, position: Position, link: &Value) -> Outcome<Value> {
        let link = match link {
            Value::Object(_) => self.property(position, link, "path")?,
            other => other.clone(),
        };
        let link = self.convert_to_text(position, &link)?.into_owned();
        if self.includes == INCLUDES {
            return Err(Fault::new(position, Reason::Exceeded(Limit::Includes)));
        }
        let (path, text) = match self.environment.read_included(&link) {
            Ok(found) => found,
            Err(reason) => return Self::failure(position, reason),
        };
        self.budget.take_bytes(position, text.len())?;
        let within = |fault: Fault| {
            let (row, column) = fault.position.in_text(&text);
            let reason = Box::new(fault.reason);
            Fault::new(position, Reason::Included { path: path.clone(), line: row, column, reason })
        };
        let program = script::parse(&text).map_err(within)?;
        let parameters = Parameters::from_program(&program);
        let mut inner = Run::new(self.environment, &parameters);
        inner.budget = std::mem::take(&mut self.budget);
        inner.includes = self.includes + 1;
        inner.seed = self.seed;
        let done = inner.run_top_level(&program);
        self.budget = std::mem::take(&mut inner.budget);
        self.seed = inner.seed;
        let output = inner.output;
        done.map_err(within)?;
        self.string(position, &output)
    }
}
