//! Older names of operations: their names, and the places of their arguments in the current parameters.

use serde_json::{Map, Value};

use crate::fits::fits;
use crate::model::{Alias, ArgumentPath, Field, Model, Operation, Shape};
use crate::problem::Problem;
use crate::raw::{Entry, Located, RawLongAlias, RawOperation};
use crate::report::Report;
use crate::source::Place;
use crate::yaml::Text;

/// The aliases as written. [`check`] checks their arguments when all parameters are known.
pub(super) fn aliases(raw: &RawOperation, report: &mut Report) -> Vec<Alias> {
    let mut aliases = Vec::new();
    for raw in raw.aliases.iter().flatten() {
        let Some(name) = &raw.0.name else { continue };
        check_name(&name.value, name.place, report);
        aliases.push(alias(name, &raw.0));
    }
    aliases
}

fn alias(name: &Text, raw: &RawLongAlias) -> Alias {
    let args = raw.args.iter().flat_map(|args| &args.0);
    let values = raw.values.iter().flat_map(|values| &values.0);
    let set = raw.set.iter().flat_map(|set| &set.0);
    let given = |Entry { key, value }: &Entry<Option<Located<Value>>>| {
        Some((key.value.clone(), value.as_ref()?.value.clone()))
    };
    Alias {
        name: name.value.clone(),
        flatten: raw.flatten.iter().flatten().map(|name| name.value.clone()).collect(),
        args: args
            .filter_map(|Entry { key, value }| {
                Some((key.value.clone(), ArgumentPath::parse(&value.as_ref()?.value)))
            })
            .collect(),
        values: values
            .map(|Entry { key, value }| {
                let values: Map<String, Value> = value.0.iter().filter_map(given).collect();
                (ArgumentPath::parse(&key.value), values)
            })
            .collect(),
        set: set
            .filter_map(given)
            .map(|(path, value)| (ArgumentPath::parse(&path), value))
            .collect(),
    }
}

/// Older names may be those of tools or of operations, so they may contain a dot.
fn check_name(name: &str, place: Place, report: &mut Report) {
    let fine = (1..=60).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    if !fine {
        report.push(
            Problem::error(place, format!("`{name}` is not a name for an alias"))
                .expected("1 to 60 letters, digits, `_`, `-` or `.`"),
        );
    }
}

/// Checks that the arguments of aliases belong to parameters of the operation, and fit them.
pub(super) fn check(raw: &RawOperation, model: &Model, operation: &Operation, report: &mut Report) {
    let inputs = model.inputs(operation);
    for alias in raw.aliases.iter().flatten() {
        Checker { inputs: &inputs, model, report }.check(&alias.0);
    }
}

/// Checks one alias against the current parameters.
struct Checker<'a> {
    inputs: &'a [Field],
    model: &'a Model,
    report: &'a mut Report,
}

impl<'a> Checker<'a> {
    fn check(&mut self, raw: &RawLongAlias) {
        for name in raw.flatten.iter().flatten() {
            self.check_older(name, None);
        }
        let mut renamed: Vec<ArgumentPath> = Vec::new();
        for Entry { key, value } in raw.args.iter().flat_map(|args| &args.0) {
            let Some(target) = value else { continue };
            let path = ArgumentPath::parse(&target.value);
            if self.shape(&path, target).is_some() {
                self.check_older(key, Some(&path));
                renamed.push(path);
            }
        }
        let mut fixed: Vec<ArgumentPath> = Vec::new();
        for Entry { key, value } in raw.set.iter().flat_map(|set| &set.0) {
            let path = ArgumentPath::parse(&key.value);
            self.check_value("the fixed argument", &path, key, value.as_ref());
            if renamed.iter().any(|renamed| renamed.overlaps(&path)) {
                self.report.push(
                    Problem::error(key.place, format!("`{}` is both renamed and fixed", key.value))
                        .help("keep it under `args` or under `set`, not both"),
                );
            }
            fixed.push(path);
        }
        for Entry { key, value: values } in raw.values.iter().flat_map(|values| &values.0) {
            let path = ArgumentPath::parse(&key.value);
            for Entry { value, .. } in &values.0 {
                self.check_value("the current value of", &path, key, value.as_ref());
            }
            if fixed.iter().any(|fixed| fixed.overlaps(&path)) {
                let message = format!("`{}` is fixed, so no call has a value of it", key.value);
                let problem = Problem::error(key.place, message);
                self.report.push(problem.help("keep it under `values` or under `set`, not both"));
            }
        }
    }

    /// Checks that an older name is not that of a current parameter with another meaning.
    fn check_older(&mut self, older: &Text, path: Option<&ArgumentPath>) {
        let is_same = path.is_some_and(|path| *path.keys() == [older.value.as_str()]);
        if !is_same && self.inputs.iter().any(|field| field.name == older.value) {
            self.report.push(
                Problem::error(older.place, format!("`{}` is a current parameter", older.value))
                    .help(
                        "a name that is in use cannot also be the older name of another parameter",
                    ),
            );
        }
    }

    fn check_value(
        &mut self,
        what: &str,
        path: &ArgumentPath,
        key: &Text,
        value: Option<&Located<Value>>,
    ) {
        let (Some(shape), Some(value)) = (self.shape(path, key), value) else { return };
        if let Err(fault) = fits(self.model, shape, &value.value) {
            let message = format!("{what} `{}` does not fit its parameter: {fault}", key.value);
            self.report.push(Problem::error(value.place, message));
        }
    }

    /// The shape of the values at a path. `None` if there is no such place, which is reported.
    fn shape(&mut self, path: &ArgumentPath, text: &Text) -> Option<&'a Shape> {
        let (mut fields, mut kind): (&'a [Field], _) = (self.inputs, "parameter");
        let mut keys = path.keys().iter();
        let mut shape: &'a Shape = &Shape::Json;
        while let Some(key) = keys.next() {
            let Some(field) = fields.iter().find(|field| field.name == *key) else {
                let known = fields.iter().map(|field| field.name.as_str());
                self.report.unknown_reference(text.place, kind, key, known);
                return None;
            };
            shape = self.model.resolve(&field.shape);
            while let Shape::Map(values) = shape {
                if keys.next().is_none() {
                    return Some(shape);
                }
                shape = self.model.resolve(values);
            }
            match shape {
                Shape::Json => return Some(shape),
                Shape::Record(inner) => (fields, kind) = (inner, "field"),
                _ if keys.len() == 0 => {}
                _ => {
                    let message =
                        format!("`{}` leads into a value that is not an object", text.value);
                    self.report.push(
                        Problem::error(text.place, message)
                            .expected("a parameter, or a pointer into objects"),
                    );
                    return None;
                }
            }
        }
        Some(shape)
    }
}
