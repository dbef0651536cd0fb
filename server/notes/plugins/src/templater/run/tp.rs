//! `tp`: what Templater offers to templates.

use std::rc::Rc;

use super::builtins::{Module, TpFunction};
use super::convert::Arguments;
use super::heap::Object;
use super::value::Value;
use super::{Outcome, Place, Run};
use crate::templater::parameters::Parameters;
use crate::templater::refused::refusal;
use crate::templater::script::{self, Fault, Limit, Reason};
use toolwrit_moment::{Duration, Unit};

/// How deep templates may include each other, as in Templater.
const INCLUDES: usize = 10;

impl Run<'_> {
    pub(super) fn tp_member(&mut self, place: Place, module: Module, name: &str) -> Outcome<Value> {
        let full = format!("{}.{name}", module.name());
        if let Some(why) = refusal(&full) {
            return Err(Fault::new(
                place,
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
                self.value_of(place, &serde_json::Value::Object(properties))
            }
            (Module::Tp, "config") => self.config(place),
            (Module::File, "title") => {
                let title = self.environment.title();
                self.string(place, &title)
            }
            (Module::File, "content") => {
                let content = self.environment.content().to_owned();
                self.string(place, &content)
            }
            (Module::File, "tags") => {
                let tags = self.environment.tags();
                self.texts(place, tags.into_iter().map(|tag| format!("#{tag}")))
            }
            _ => Self::unsupported(place, format!("`{full}`")),
        }
    }

    fn config(&mut self, place: Place) -> Outcome<Value> {
        let template = self.environment.template().to_owned();
        let target = self.environment.target_path();
        let entries = [
            ("template_file", self.file(place, &template)?),
            ("target_file", self.file(place, &target)?),
            // Creating a new note from a template.
            ("run_mode", Value::Number(0.0)),
            ("active_file", Value::Null),
        ];
        let entries: Object = entries.into_iter().map(|(key, it)| (Rc::from(key), it)).collect();
        self.object(place, entries)
    }

    /// What templates read of a file of Obsidian.
    fn file(&mut self, place: Place, path: &str) -> Outcome<Value> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let parent = [("path", folder), ("name", folder.rsplit('/').next().unwrap_or_default())];
        let parent = self.text_object(place, &parent)?;
        let own = [("path", path), ("name", name), ("basename", stem), ("extension", extension)];
        let file = self.text_object(place, &own)?;
        if let Value::Object(id) = file {
            self.heap.object_mut(id).insert("parent".into(), parent);
        }
        Ok(file)
    }

    fn text_object(&mut self, place: Place, entries: &[(&str, &str)]) -> Outcome<Value> {
        let mut object = Object::new();
        for (key, text) in entries {
            object.insert(Rc::from(*key), self.string(place, text)?);
        }
        self.object(place, object)
    }

    pub(super) fn apply_tp(
        &mut self,
        place: Place,
        function: TpFunction,
        arguments: Vec<Value>,
    ) -> Outcome<Value> {
        let mut arguments = Arguments(arguments);
        match function {
            TpFunction::Now
            | TpFunction::Tomorrow
            | TpFunction::Yesterday
            | TpFunction::Weekday => self.date(place, function, &mut arguments),
            TpFunction::Prompt | TpFunction::NamedPrompt => {
                self.prompt(place, function, &mut arguments)
            }
            TpFunction::Suggester => self.suggester(place, false, &mut arguments),
            TpFunction::MultiSuggester => self.suggester(place, true, &mut arguments),
            TpFunction::Include => self.include(place, &arguments.next()),
            TpFunction::Cursor | TpFunction::Selection => self.string(place, ""),
            TpFunction::CreationDate | TpFunction::LastModifiedDate => {
                let format = self.text_or(place, &mut arguments, "YYYY-MM-DD HH:mm")?;
                let moment = self.environment.modified();
                self.date_text(place, &moment, &format)
            }
            TpFunction::Path | TpFunction::Folder => {
                let full = arguments.next().is_truthy();
                let path = self.environment.target_path();
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                match (function, full) {
                    (TpFunction::Path, true) => self.string(place, &path),
                    (TpFunction::Path, false) => {
                        let what = "`tp.file.path()`".into();
                        let why = "paths outside of the vault are not disclosed; use `tp.file.path(true)`";
                        Err(Fault::new(place, Reason::Refused { what, why }))
                    }
                    (_, true) => self.string(place, folder),
                    (_, false) => {
                        let name = folder.rsplit('/').next().unwrap_or_default();
                        self.string(place, name)
                    }
                }
            }
            TpFunction::Exists => {
                let path = self.text_or(place, &mut arguments, "")?;
                Ok(Value::Boolean(self.environment.exists(&path)))
            }
            TpFunction::FindFile => {
                let name = self.text_or(place, &mut arguments, "")?;
                match self.environment.find(&name) {
                    Some(path) => self.file(place, &path),
                    None => Ok(Value::Null),
                }
            }
            TpFunction::Rename | TpFunction::Move => {
                let path = self.text_or(place, &mut arguments, "")?;
                let moved = if function == TpFunction::Rename {
                    self.environment.rename(&path)
                } else {
                    self.environment.relocate(&path)
                };
                match moved {
                    Ok(()) => self.string(place, ""),
                    Err(reason) => Self::failed(place, reason),
                }
            }
        }
    }

    /// The next argument as text, or a default.
    fn text_or(
        &mut self,
        place: Place,
        arguments: &mut Arguments,
        default: &str,
    ) -> Outcome<String> {
        match arguments.given() {
            Some(value) => Ok(self.text_of(place, &value)?.into_owned()),
            None => Ok(default.to_owned()),
        }
    }

    fn date(
        &mut self,
        place: Place,
        function: TpFunction,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let format = self.text_or(place, arguments, "YYYY-MM-DD")?;
        let days = |days| Duration::of(days, Unit::Day);
        let moment = match function {
            TpFunction::Tomorrow => self.now().plus(days(1.0)),
            TpFunction::Yesterday => self.now().plus(days(-1.0)),
            TpFunction::Weekday => {
                let weekday = arguments.next();
                let weekday = self.number_of(place, &weekday)?;
                self.reference(place, arguments)?.on_weekday(jiff::civil::Weekday::Sunday, weekday)
            }
            _ => {
                let offset = match arguments.next() {
                    Value::String(text) => Duration::parse_iso(&text),
                    Value::Number(number) => days(number),
                    _ => Duration::default(),
                };
                self.reference(place, arguments)?.plus(offset)
            }
        };
        self.date_text(place, &moment, &format)
    }

    fn prompt(
        &mut self,
        place: Place,
        function: TpFunction,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let question = self.text_or(place, arguments, "")?;
        let default = if function == TpFunction::Prompt { arguments.given() } else { None };
        let default = default.filter(|default| !default.is_nullish());
        let Some(name) = self.parameters.name_at(place) else {
            return Self::unsupported(place, "a prompt that is not called by its name");
        };
        let answer = self.environment.argument(name);
        match (answer, default) {
            (Some(serde_json::Value::String(text)), _) => self.string(place, text),
            (Some(answer), _) => self.string(place, &answer.to_string()),
            (None, Some(default)) => Ok(default),
            (None, None) => {
                let parameter = name.to_owned();
                Err(Fault::new(place, Reason::Unanswered { parameter, question }))
            }
        }
    }

    /// The item that the answer names: by its text, or by the item itself.
    fn suggester(
        &mut self,
        place: Place,
        several: bool,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let (texts, items) = (arguments.next(), arguments.next());
        let items = self.elements(place, &items)?;
        let labels = match &texts {
            Value::Array(_) => self.elements(place, &texts)?,
            function => {
                let mut labels = Vec::new();
                for item in &items {
                    labels.push(self.apply(place, function, vec![item.clone()])?);
                }
                labels
            }
        };
        let Some(name) = self.parameters.name_at(place) else {
            return Self::unsupported(place, "a suggester that is not called by its name");
        };
        let (name, environment) = (name.to_owned(), self.environment);
        let Some(answer) = environment.argument(&name) else {
            let question = "which item to choose".to_owned();
            return Err(Fault::new(place, Reason::Unanswered { parameter: name, question }));
        };
        if !several {
            return self.chosen(place, &name, answer, &labels, &items);
        }
        let answers = match answer {
            serde_json::Value::Array(answers) => answers.as_slice(),
            single => std::slice::from_ref(single),
        };
        let mut chosen = Vec::new();
        for answer in answers {
            chosen.push(self.chosen(place, &name, answer, &labels, &items)?);
        }
        self.array(place, chosen)
    }

    fn chosen(
        &mut self,
        place: Place,
        parameter: &str,
        answer: &serde_json::Value,
        labels: &[Value],
        items: &[Value],
    ) -> Outcome<Value> {
        const MOST_NAMED: usize = 20;
        let answer = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
        let mut known = Vec::new();
        for (label, item) in labels.iter().zip(items) {
            let label = self.text_of(place, label)?.into_owned();
            if label == answer || self.text_of(place, item)? == answer {
                return Ok(item.clone());
            }
            known.push(label);
        }
        let more = if known.len() > MOST_NAMED { ", .." } else { "" };
        known.truncate(MOST_NAMED);
        let expected = format!("one of: {}{more}", known.join(", "));
        let got = format!("`{answer}`");
        let parameter = parameter.to_owned();
        Err(Fault::new(place, Reason::Misanswered { parameter, expected, got }))
    }

    /// Runs another note as a template, and returns its text.
    fn include(&mut self, place: Place, link: &Value) -> Outcome<Value> {
        let link = match link {
            Value::Object(_) => self.property(place, link, "path")?,
            other => other.clone(),
        };
        let link = self.text_of(place, &link)?.into_owned();
        if self.includes == INCLUDES {
            return Err(Fault::new(place, Reason::Exceeded(Limit::Includes)));
        }
        let (path, text) = match self.environment.included(&link) {
            Ok(found) => found,
            Err(reason) => return Self::failed(place, reason),
        };
        self.budget.bytes(place, text.len())?;
        let within = |fault: Fault| {
            let (row, column) = fault.place.in_text(&text);
            let reason = Box::new(fault.reason);
            Fault::new(place, Reason::Included { path: path.clone(), line: row, column, reason })
        };
        let program = script::parse(&text).map_err(within)?;
        let parameters = Parameters::of(&program);
        let mut inner = Run::new(self.environment, &parameters);
        inner.budget = std::mem::take(&mut self.budget);
        inner.includes = self.includes + 1;
        inner.seed = self.seed;
        let done = inner.top(&program);
        self.budget = std::mem::take(&mut inner.budget);
        self.seed = inner.seed;
        let output = inner.output;
        done.map_err(within)?;
        self.string(place, &output)
    }
}
