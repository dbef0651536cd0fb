//! The values to which templates refer: parameters, settings and earlier steps. A parameter hides a setting of its name.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::json_path::JsonPath;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{BindingKind, Field, Model, Presence, Setting, Shape};
use crate::yaml::Text;

/// The values of one binding.
pub(super) struct Scope<'a> {
    pub(super) model: &'a Model,
    pub(super) params: &'a [Field],
    pub(super) settings: &'a [Setting],
    pub(super) kind: BindingKind,
    /// The earlier steps, and whether each is optional.
    steps: Vec<(String, bool)>,
    /// The parameters that are referred to.
    used: BTreeSet<String>,
}

/// What a reference leads to.
pub(super) struct Referent<'a> {
    /// The reference in a table.
    pub(super) table: Value,
    /// Whether the value may be absent.
    pub(super) may_be_absent: bool,
    /// What is known of the value.
    pub(super) shape: Option<&'a Shape>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(model: &'a Model, params: &'a [Field], settings: &'a [Setting]) -> Self {
        let (kind, steps, used) = (BindingKind::Http, Vec::new(), BTreeSet::new());
        Self { model, params, settings, kind, steps, used }
    }

    /// The values of a command.
    pub(super) fn of_command(
        model: &'a Model,
        params: &'a [Field],
        settings: &'a [Setting],
    ) -> Self {
        Self { kind: BindingKind::Command, ..Self::new(model, params, settings) }
    }

    /// The values of a call of a tool.
    pub(super) fn of_tool(model: &'a Model, params: &'a [Field], settings: &'a [Setting]) -> Self {
        Self { kind: BindingKind::Mcp, ..Self::new(model, params, settings) }
    }

    pub(super) fn add_step(&mut self, name: &str, is_optional: bool) {
        self.steps.push((name.to_owned(), is_optional));
    }

    pub(super) fn has_step(&self, name: &str) -> bool {
        self.steps.iter().any(|(known, _)| known == name)
    }

    /// Whether a value has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.params.iter().any(|field| field.name == name)
            || self.settings.iter().any(|setting| setting.name == name)
            || self.has_step(name)
    }

    /// Parameters to which nothing refers.
    pub(super) fn unused(&self) -> impl Iterator<Item = &'a Field> {
        self.params.iter().filter(|field| !self.used.contains(&field.name))
    }

    /// Finds the value of a reference, written without `$`: `name`, `name.field` or `name[0]`. `None` if there is none,
    /// which is reported.
    pub(super) fn find(
        &mut self,
        reference: &str,
        place: Place,
        report: &mut Report,
    ) -> Option<Referent<'a>> {
        let end = reference.find(['.', '[']).unwrap_or(reference.len());
        let (name, rest) = reference.split_at(end);
        let path = match JsonPath::segments(rest) {
            Ok(path) => path,
            Err(why) => {
                let message = format!("`${reference}` is not a reference: {why}");
                report.push(Problem::error(place, message));
                return None;
            }
        };
        let table = |root: &str| {
            let root = json!({ root: name });
            if path.is_root() {
                json!({ "root": root })
            } else {
                json!({ "root": root, "path": path.table() })
            }
        };
        if let Some(field) = self.params.iter().find(|field| field.name == name) {
            self.used.insert(name.to_owned());
            let (shape, may_be_absent) = self.within(field, &path, place, report)?;
            return Some(Referent { table: table("argument"), may_be_absent, shape });
        }
        if let Some((_, is_optional)) = self.steps.iter().find(|(known, _)| known == name) {
            return Some(Referent {
                table: table("step"),
                may_be_absent: *is_optional,
                shape: None,
            });
        }
        let Some(setting) = self.settings.iter().find(|setting| setting.name == name) else {
            let params = self.params.iter().map(|field| field.name.as_str());
            let steps = self.steps.iter().map(|(name, _)| name.as_str());
            let settings = self.settings.iter().map(|setting| setting.name.as_str());
            let known = params.chain(steps).chain(settings);
            let what = match self.kind {
                BindingKind::Http => "parameter, setting or step",
                BindingKind::Command | BindingKind::Mcp => "parameter or setting",
            };
            report.unknown_reference(place, what, name, known);
            return None;
        };
        if setting.sensitive {
            report.push(Problem::error(place, format!("the setting `{name}` is a secret")).help(
                match self.kind {
                    BindingKind::Http => "secrets stand only in `auth` of the provider",
                    BindingKind::Command => "secrets stand only in `environment` of the provider",
                    BindingKind::Mcp => {
                        "secrets stand only in `environment`, `headers` and `bearer` of the provider"
                    }
                },
            ));
            return None;
        }
        Some(Referent { table: table("setting"), may_be_absent: setting.optional, shape: None })
    }

    /// Follows a path into a parameter.
    fn within(
        &self,
        field: &'a Field,
        path: &JsonPath,
        place: Place,
        report: &mut Report,
    ) -> Option<(Option<&'a Shape>, bool)> {
        let mut may_be_absent = field.presence == Presence::Optional;
        let mut shape = self.model.resolve(&field.shape);
        let mut rest = path.clone();
        while !rest.is_root() {
            let (Shape::Record(fields), Some((name, below))) = (shape, rest.split_name()) else {
                // The elements of lists and maps may be missing.
                return Some((None, may_be_absent || !matches!(shape, Shape::Json)));
            };
            let Some(next) = fields.iter().find(|field| field.name == name) else {
                let known = fields.iter().map(|field| field.name.as_str());
                report.unknown_reference(place, "field", name, known);
                return None;
            };
            may_be_absent |= next.presence == Presence::Optional;
            (shape, rest) = (self.model.resolve(&next.shape), below);
        }
        Some((Some(shape), may_be_absent))
    }

    /// Checks the JSON pointer of a parameter.
    pub(super) fn pointer(&self, pointer: &Text, report: &mut Report) -> Option<Value> {
        let name =
            pointer.value.strip_prefix('/').map(|rest| rest.split('/').next().unwrap_or(rest));
        let Some(name) = name else {
            let message = format!("`{}` is not a JSON pointer", pointer.value);
            report.push(
                Problem::error(pointer.place, message).expected("`/` and the name of a parameter"),
            );
            return None;
        };
        let added = ["limit", "cursor"];
        if !added.contains(&name) && self.params.iter().all(|field| field.name != name) {
            let known = self.params.iter().map(|field| field.name.as_str());
            report.unknown_reference(pointer.place, "parameter", name, known);
            return None;
        }
        Some(Value::from(pointer.value.as_str()))
    }
}
