//! Focus modes, roles and contexts: who may do what, and what is relevant.

mod contexts;

use crate::check::names::lookup::DeclaredNames;
use crate::check::names::spelling::{self, Style};
use crate::check::text;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{
    DeclaredContext, Effect, FocusMode, Model, OperationId, Role, RoleId, Selector,
};
use crate::policy;
use crate::raw::{Entry, RawConditions, RawManifest, RawSelector};
use crate::yaml::Text;

pub(super) struct AccessChecks<'a> {
    pub(super) lookup: &'a DeclaredNames<'a>,
    pub(super) raw: &'a RawManifest,
}

impl AccessChecks<'_> {
    /// The focus modes. If none is declared, there is one that allows every operation.
    pub(super) fn focus(&self, report: &mut Report) -> Vec<FocusMode> {
        if self.raw.focus.is_empty() {
            return vec![FocusMode {
                name: "full".to_owned(),
                summary: None,
                allow: vec![Selector::All],
                deny: Vec::new(),
            }];
        }
        self.raw
            .focus
            .iter()
            .map(|Entry { key, value }| FocusMode {
                name: spelling::key("focus mode", key, Style::Kebab, report),
                summary: text::optional_summary(value.summary.as_ref(), report),
                allow: self.selectors(value.allow.as_ref(), report),
                deny: self.selectors(value.deny.as_ref(), report),
            })
            .collect()
    }

    /// The roles. If none is declared, there is one that allows every operation.
    pub(super) fn roles(&self, report: &mut Report) -> Vec<Role> {
        if self.raw.roles.is_empty() {
            return vec![Role {
                name: "owner".to_owned(),
                summary: None,
                extends: None,
                allow: vec![Selector::All],
                deny: Vec::new(),
                persona: None,
            }];
        }
        let mut roles: Vec<Role> = self
            .raw
            .roles
            .iter()
            .map(|Entry { key, value }| Role {
                name: spelling::key("role", key, Style::Kebab, report),
                summary: text::optional_summary(value.summary.as_ref(), report),
                extends: value.extends.as_ref().and_then(|name| self.lookup.role(name, report)),
                allow: self.selectors(value.allow.as_ref(), report),
                deny: self.selectors(value.deny.as_ref(), report),
                persona: text::optional("the persona", value.persona.as_ref(), report),
            })
            .collect();
        self.cut_cycles(&mut roles, report);
        roles
    }

    /// Reports each cycle of `extends` once, and breaks it.
    fn cut_cycles(&self, roles: &mut [Role], report: &mut Report) {
        let mut finished = vec![false; roles.len()];
        for start in 0..roles.len() {
            let mut chain: Vec<usize> = Vec::new();
            let mut seen = std::collections::HashSet::new();
            let mut next = Some(start);
            while let Some(index) = next.filter(|index| !finished[*index]) {
                if !seen.insert(index) {
                    self.report_cycle(&chain, index, report);
                    roles[index].extends = None;
                    break;
                }
                chain.push(index);
                next = roles[index].extends.map(RoleId::index);
            }
            for index in chain {
                finished[index] = true;
            }
        }
    }

    fn report_cycle(&self, chain: &[usize], closing: usize, report: &mut Report) {
        let name = |index: &usize| self.raw.roles[*index].key.value.as_str();
        let cycle: Vec<&str> =
            chain.iter().skip_while(|index| **index != closing).map(name).collect();
        if let Some(extends) = &self.raw.roles[closing].value.extends {
            let message = format!("the role `{}` extends itself", name(&closing));
            report.push(Problem::error(extends.place, message).help(format!(
                "the cycle is {} -> {}",
                cycle.join(" -> "),
                name(&closing)
            )));
        }
    }

    pub(super) fn contexts(&self, report: &mut Report) -> Vec<DeclaredContext> {
        let contexts = self.raw.contexts.iter().map(|entry| {
            let include = self.selectors(entry.value.include.as_ref(), report);
            contexts::context(entry, include, report)
        });
        contexts.collect()
    }

    fn selectors(&self, raw: Option<&Vec<RawSelector>>, report: &mut Report) -> Vec<Selector> {
        raw.into_iter().flatten().filter_map(|raw| self.selector(raw, report)).collect()
    }

    fn selector(&self, raw: &RawSelector, report: &mut Report) -> Option<Selector> {
        match raw {
            RawSelector::Word(text) => self.word(text, report),
            RawSelector::Where(conditions, place) => self.conditions(conditions, *place, report),
        }
    }

    fn word(&self, text: &Text, report: &mut Report) -> Option<Selector> {
        if text.value == "*" {
            return Some(Selector::All);
        }
        if let Some(group) = text.value.strip_suffix(".*") {
            return self.group(group, text, report);
        }
        if text.value.contains('.') {
            return self.lookup.operation(text, report).map(Selector::Operation);
        }
        self.lookup.category(&text.value, text.place, report).map(Selector::Category)
    }

    /// A category, or a group in it: `plugin` or `plugin.dataview`, without the `.*`.
    fn group(&self, written: &str, text: &Text, report: &mut Report) -> Option<Selector> {
        let (category, group) = written.split_once('.').unwrap_or((written, ""));
        let place = text.part(0, category.chars().count());
        let id = self.lookup.category(category, place, report)?;
        if group.is_empty() {
            return Some(Selector::Category(id));
        }
        let groups = self.groups_of(category);
        if !groups.iter().any(|known| known == group) {
            let place = text.part(category.chars().count() + 1, group.chars().count());
            report.unknown_reference(place, "group", group, groups.iter().map(String::as_str));
            return None;
        }
        Some(Selector::Group(id, group.to_owned()))
    }

    /// The groups of a category: leading segments of operations' names, and the providers that may join it.
    fn groups_of(&self, category: &str) -> Vec<String> {
        let entry = self.raw.categories.iter().find(|entry| entry.key.value == category);
        let providers = entry.and_then(|entry| entry.value.providers.as_ref());
        let providers = providers.into_iter().flat_map(|providers| &providers.0);
        let names = self.lookup.operations.iter().filter_map(|id| {
            let (id_category, name) = spelling::id_parts(id)?;
            (id_category == category).then_some(name)
        });
        let groups =
            names.flat_map(|name| name.match_indices('.').map(|(at, _)| name[..at].to_owned()));
        providers.map(|provider| provider.key.value.clone()).chain(groups).collect()
    }

    /// `None` if a condition is invalid, because fewer conditions would select more operations.
    fn conditions(
        &self,
        raw: &RawConditions,
        place: Place,
        report: &mut Report,
    ) -> Option<Selector> {
        let category = match &raw.category {
            Some(name) => Some(self.lookup.category(&name.value, name.place, report)?),
            None => None,
        };
        let effect = raw.effect.as_ref().map(|effect| effect.value);
        let tag = raw.tag.as_ref().map(|tag| tag.value.clone());
        if effect.is_none() && tag.is_none() && category.is_none() {
            if !report.has_error_at(place) {
                report.push(
                    Problem::error(place, "a selector without conditions")
                        .expected("`effect`, `tag` or `category`")
                        .help("write `\"*\"` for every operation"),
                );
            }
            return None;
        }
        Some(Selector::Where { effect, tag, category })
    }

    /// Warns of selectors that cover nothing, and of operations that no focus mode or no role allows.
    pub(super) fn check(&self, model: &Model, report: &mut Report) {
        if report.has_errors() {
            // A selector that was repaired covers less than the author intended.
            return;
        }
        for Entry { value, .. } in &self.raw.focus {
            self.warn_empty(model, value.allow.iter().chain(&value.deny).flatten(), report);
        }
        for Entry { value, .. } in &self.raw.roles {
            self.warn_empty(model, value.allow.iter().chain(&value.deny).flatten(), report);
        }
        for Entry { value, .. } in &self.raw.contexts {
            self.warn_empty(model, value.include.iter().flatten(), report);
        }
        self.warn_unreachable(model, report);
    }

    fn warn_empty<'r>(
        &self,
        model: &Model,
        selectors: impl Iterator<Item = &'r RawSelector>,
        report: &mut Report,
    ) {
        for raw in selectors {
            let Some(selector) = self.selector(raw, report) else { continue };
            let covers = |id: OperationId| policy::selects(model, &selector, id);
            let joins = || {
                let all = model.joining();
                let effects = |joining| Effect::ALL.map(|effect| (joining, effect));
                all.flat_map(effects).any(|(joining, effect)| {
                    effect <= joining.most
                        && policy::selects_joining(model, &selector, joining, effect)
                })
            };
            // An operator may add operations with any effect.
            let is_open =
                Effect::ALL.iter().any(|effect| policy::selects_added(&selector, *effect));
            if !is_open && !model.operation_ids().any(covers) && !joins() {
                let place = match raw {
                    RawSelector::Word(text) => text.place,
                    RawSelector::Where(_, place) => *place,
                };
                report.push(Problem::warning(place, "the selector covers no operation"));
            }
        }
    }

    fn warn_unreachable(&self, model: &Model, report: &mut Report) {
        let keys = self.raw.operations.iter().map(|entry| &entry.key);
        let keys = keys.chain(self.raw.resources.iter().map(|entry| &entry.key));
        let keys = keys.chain(self.raw.prompts.iter().map(|entry| &entry.key));
        for (id, key) in model.governed_ids().zip(keys) {
            let focus = model.focus_ids().any(|focus| policy::focus_allows(model, focus, id));
            let role = model.role_ids().any(|role| policy::role_allows(model, role, id));
            let by = match (focus, role) {
                (true, true) => continue,
                (false, _) => "focus mode",
                (true, false) => "role",
            };
            report.push(
                Problem::warning(key.place, format!("no {by} allows `{}`", model[id].id))
                    .help("it can never be called"),
            );
        }
    }
}
