//! Looks names up. An undeclared name is reported together with the most similar declared one.

use std::borrow::Cow;
use std::collections::HashMap;

use super::served;
use crate::diagnostics::{Place, Report};
use crate::model::{CategoryId, ErrorId, OperationId, ProviderId, RoleId, TypeId};
use crate::raw::{Entry, RawManifest};
use crate::yaml::Text;

/// The types that need no declaration.
pub(crate) const BUILT_IN: [&str; 7] =
    ["string", "integer", "number", "boolean", "date", "datetime", "json"];

/// The declared names of one kind.
pub(in crate::check) struct NamesOfKind<'a> {
    kind: &'static str,
    positions: HashMap<Cow<'a, str>, usize>,
    ordered: Vec<Cow<'a, str>>,
}

impl<'a> NamesOfKind<'a> {
    fn from_entries<T>(kind: &'static str, entries: &'a [Entry<T>]) -> Self {
        let names = entries.iter().map(|entry| Cow::Borrowed(entry.key.value.as_str()));
        Self { kind, positions: HashMap::new(), ordered: Vec::new() }.and(names)
    }

    /// Adds further names at the end.
    fn and(mut self, names: impl IntoIterator<Item = Cow<'a, str>>) -> Self {
        for name in names {
            self.positions.insert(name.clone(), self.ordered.len());
            self.ordered.push(name);
        }
        self
    }

    pub(in crate::check) fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    pub(in crate::check) fn iter(&self) -> impl Iterator<Item = &str> {
        self.ordered.iter().map(Cow::as_ref)
    }

    /// The position of a name; reports the place if it is unknown.
    fn find(&self, name: &str, place: Place, report: &mut Report) -> Option<usize> {
        let position = self.position(name);
        if position.is_none() {
            report.unknown_reference(place, self.kind, name, self.iter());
        }
        position
    }
}

/// All declared names.
pub(in crate::check) struct DeclaredNames<'a> {
    pub(in crate::check) types: NamesOfKind<'a>,
    pub(in crate::check) categories: NamesOfKind<'a>,
    pub(in crate::check) roles: NamesOfKind<'a>,
    pub(in crate::check) providers: NamesOfKind<'a>,
    pub(in crate::check) errors: NamesOfKind<'a>,
    pub(in crate::check) operations: NamesOfKind<'a>,
}

impl<'a> DeclaredNames<'a> {
    pub(in crate::check) fn from_manifest(raw: &'a RawManifest) -> Self {
        Self {
            types: NamesOfKind::from_entries("type", &raw.types),
            categories: NamesOfKind::from_entries("category", &raw.categories)
                .and(served::categories(raw).into_iter().map(Cow::Borrowed)),
            roles: NamesOfKind::from_entries("role", &raw.roles),
            providers: NamesOfKind::from_entries("provider", &raw.providers),
            errors: NamesOfKind::from_entries("error", &raw.errors),
            operations: NamesOfKind::from_entries("operation", &raw.operations)
                .and(served::ids(raw).map(Cow::Owned)),
        }
    }

    /// Suggests built-in types as well.
    pub(in crate::check) fn type_id(
        &self,
        name: &str,
        place: Place,
        report: &mut Report,
    ) -> Option<TypeId> {
        let position = self.types.position(name);
        if position.is_none() {
            report.unknown_type(place, name, self.types.iter(), &BUILT_IN);
        }
        position.map(TypeId)
    }

    pub(in crate::check) fn category(
        &self,
        name: &str,
        place: Place,
        report: &mut Report,
    ) -> Option<CategoryId> {
        self.categories.find(name, place, report).map(CategoryId)
    }

    pub(in crate::check) fn role(&self, name: &Text, report: &mut Report) -> Option<RoleId> {
        self.roles.find(&name.value, name.place, report).map(RoleId)
    }

    pub(in crate::check) fn provider(
        &self,
        name: &Text,
        report: &mut Report,
    ) -> Option<ProviderId> {
        self.providers.find(&name.value, name.place, report).map(ProviderId)
    }

    pub(in crate::check) fn error(&self, name: &Text, report: &mut Report) -> Option<ErrorId> {
        self.errors.find(&name.value, name.place, report).map(ErrorId)
    }

    pub(in crate::check) fn operation(
        &self,
        name: &Text,
        report: &mut Report,
    ) -> Option<OperationId> {
        self.operations.find(&name.value, name.place, report).map(OperationId)
    }
}
