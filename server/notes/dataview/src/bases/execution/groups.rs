//! The groups of a view, and the summaries of its properties.

use super::rows::{Found, ViewRun};
use super::summary;
use crate::bases::answer::{BaseError, Group, Summary};
use crate::bases::check::missing_name_message;
use crate::bases::definition::{Base, ViewDefinition};
use crate::bases::evaluation::{FileRow, evaluate_with_values, shown, text};
use crate::bases::names;
use crate::evaluation::{Evaluated, Failure};
use crate::value::{UnresolvedPaths, Value, sort_order};

impl ViewRun<'_> {
    /// The groups of sorted rows; none if the view has no groups.
    pub(super) fn groups(
        &mut self,
        found: &[Found],
        base: &Base,
        view: &ViewDefinition,
    ) -> Result<Vec<Group>, BaseError> {
        let is_same = |a: &Found, b: &Found| match (&a.group, &b.group) {
            // Links out of the vault have no order, but different texts.
            (Some(a), Some(b)) => sort_order(a, b, &UnresolvedPaths).is_eq() && text(a) == text(b),
            _ => false,
        };
        let mut groups = Vec::new();
        for rows in found.chunk_by(is_same) {
            let Some(key) = rows.first().and_then(|found| found.group.as_ref()) else { continue };
            let summaries = self.summaries(rows, base, view)?;
            groups.push(Group { key: shown(key), rows: rows.len(), summaries });
        }
        Ok(groups)
    }

    /// The summaries of some rows.
    pub(super) fn summaries(
        &mut self,
        found: &[Found],
        base: &Base,
        view: &ViewDefinition,
    ) -> Result<Vec<Summary>, BaseError> {
        let Some(first) = found.first() else { return Ok(Vec::new()) };
        let mut summaries = Vec::new();
        for (property, name) in &view.summaries {
            let values = found.iter().map(|found| self.evaluate_property(property, &found.row));
            let values: Vec<Value> = values.collect::<Result<_, _>>()?;
            let value = self.summarize(name, values, &first.row, base);
            let place = format!("summaries.{property}");
            let value = self.or_null(&place, first.row.file.path(), value)?;
            let property = property.to_string();
            summaries.push(Summary { property, name: name.clone(), value: shown(&value) });
        }
        Ok(summaries)
    }

    /// The value of a summary, which the base declares or Obsidian has built in.
    fn summarize(&self, name: &str, values: Vec<Value>, row: &FileRow, base: &Base) -> Evaluated {
        if let Some((_, expression)) = names::get(&base.summaries, name) {
            let values = Value::list(values);
            return evaluate_with_values(expression, values, row, self.context);
        }
        summary::evaluate(name, &values).ok_or_else(|| {
            let declared = base.summaries.keys().map(|known| &**known);
            let known: Vec<&str> = declared.chain(summary::NAMES).collect();
            Failure::row(missing_name_message("summary", name, &known))
        })
    }
}
