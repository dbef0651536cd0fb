//! Focus modes and roles that the operator adds. Each allows a part of what another one allows, so that none gives more than
//! the manifest does.

use super::selector::ALL_EFFECTS;
use super::{FocusMode, Operation, Role, Selector, Tables, contains};

/// A focus mode or a role that the operator adds, or the limits of a declared one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddedMode {
    /// Its name. A declared mode of this name gets these limits.
    pub name: String,
    /// One sentence.
    pub summary: Option<String>,
    /// The one of which it allows a part; the first declared one if `None`.
    pub extends: Option<String>,
    /// Selectors of the only operations that it allows of those; all if `None`.
    pub allow: Option<Vec<String>>,
    /// Selectors of operations that it does not allow.
    pub deny: Vec<String>,
}

/// The focus modes and the roles that the operator adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddedModes {
    /// The focus modes.
    pub focus: Vec<AddedMode>,
    /// The roles.
    pub roles: Vec<AddedMode>,
}

impl AddedModes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.focus.is_empty() && self.roles.is_empty()
    }
}

/// Why a focus mode or a role cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMode {
    /// What it extends does not exist, or extends it.
    #[error("`{name}` extends `{extends}`, which does not exist or extends `{name}`")]
    Extends {
        /// Its name.
        name: String,
        /// What it extends.
        extends: String,
    },
    /// It is declared, and cannot be a part of another one.
    #[error(
        "`{0}` is declared by the manifest, so that it cannot extend another one; leave out `extends`"
    )]
    Declared(String),
}

/// What the added modes leave of what they extend.
#[derive(Debug, Clone, Default)]
pub(super) struct Limits {
    /// With the positions of the focus modes.
    focus: Vec<(usize, AddedMode)>,
    /// With the positions of the roles.
    roles: Vec<(usize, AddedMode)>,
}

/// Returns tables with rows for added modes, which allow what the modes allow that they extend, and what limits them.
///
/// # Errors
/// The first mode that cannot be added.
pub(super) fn extended(
    tables: &Tables,
    added: &AddedModes,
) -> Result<(Tables, Limits), InvalidMode> {
    let names = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect();
    let focus = place(names(&mut tables.focus.iter().map(|focus| &focus.name)), &added.focus)?;
    let roles = place(names(&mut tables.roles.iter().map(|role| &role.name)), &added.roles)?;
    let mut rows = tables.policy.to_vec();
    for cells in &mut rows {
        cells.extend(roles.copies.iter().map(|(of, _)| cells[*of].clone()).collect::<Vec<_>>());
    }
    rows.extend(focus.copies.iter().map(|(of, _)| rows[*of].clone()).collect::<Vec<_>>());
    let modes = focus.copies.iter().map(|(of, mode)| FocusMode {
        name: mode.name.clone(),
        summary: mode.summary.clone(),
        ..tables.focus[*of].clone()
    });
    let parts = roles.copies.iter().map(|(of, mode)| Role {
        name: mode.name.clone(),
        summary: mode.summary.clone(),
        ..tables.roles[*of].clone()
    });
    let extended = Tables {
        focus: tables.focus.iter().cloned().chain(modes).collect(),
        roles: tables.roles.iter().cloned().chain(parts).collect(),
        policy: rows.into(),
        ..tables.clone()
    };
    Ok((extended, Limits { focus: focus.limits, roles: roles.limits }))
}

/// Where added modes stand among all modes.
struct Places {
    /// For each new row, the position of the declared mode that it begins as.
    copies: Vec<(usize, AddedMode)>,
    /// What limits the mode at a position: its own limits, and those of what it extends.
    limits: Vec<(usize, AddedMode)>,
}

/// Finds places for modes: each after the one that it extends. `names` are the declared ones.
fn place(names: Vec<String>, added: &[AddedMode]) -> Result<Places, InvalidMode> {
    let declared = names.len();
    let mut names = names;
    let mut places = Places { copies: Vec::new(), limits: Vec::new() };
    let mut left: Vec<&AddedMode> = added.iter().collect();
    while !left.is_empty() {
        let waits = |mode: &&AddedMode| {
            let base = mode.extends.as_ref().or(names.first());
            let is_last = base.is_some_and(|base| *base != mode.name && !named(&left, base));
            !(names.contains(&mode.name)
                || (is_last && base.is_some_and(|base| names.contains(base))))
        };
        let (waiting, ready): (Vec<_>, Vec<_>) = left.iter().copied().partition(waits);
        let Some(first) = left.first().filter(|_| ready.is_empty()) else {
            ready.into_iter().try_for_each(|mode| places.add(&mut names, declared, mode))?;
            left = waiting;
            continue;
        };
        let extends = first.extends.clone().unwrap_or_default();
        return Err(InvalidMode::Extends { name: first.name.clone(), extends });
    }
    Ok(places)
}

fn named(modes: &[&AddedMode], name: &str) -> bool {
    modes.iter().any(|mode| mode.name == name)
}

impl Places {
    /// Adds a mode whose base has its place.
    fn add(
        &mut self,
        names: &mut Vec<String>,
        declared: usize,
        mode: &AddedMode,
    ) -> Result<(), InvalidMode> {
        let position = |name: &String| names.iter().position(|known| known == name);
        if let Some(own) = position(&mode.name) {
            if mode.extends.is_some() {
                return Err(InvalidMode::Declared(mode.name.clone()));
            }
            self.limits.push((own, mode.clone()));
            return Ok(());
        }
        let base = mode.extends.as_ref().and_then(position).unwrap_or_default();
        let inherited = self.limits.iter().filter(|(at, _)| *at == base);
        let inherited: Vec<_> = inherited.map(|(_, limit)| (names.len(), limit.clone())).collect();
        let origin = match base.checked_sub(declared) {
            Some(added) => self.copies[added].0,
            None => base,
        };
        self.copies.push((origin, mode.clone()));
        self.limits.extend(inherited);
        self.limits.push((names.len(), mode.clone()));
        names.push(mode.name.clone());
        Ok(())
    }
}

impl Limits {
    /// Returns each selector with its key: `focus.triage.deny`.
    pub(super) fn selectors(&self) -> impl Iterator<Item = (String, &str)> {
        let focus = self.focus.iter().map(|(_, mode)| ("focus", mode));
        let roles = self.roles.iter().map(|(_, mode)| ("roles", mode));
        focus.chain(roles).flat_map(|(table, mode)| {
            let allow = mode.allow.iter().flatten().map(|text| ("allow", text.as_str()));
            let deny = mode.deny.iter().map(|text| ("deny", text.as_str()));
            allow.chain(deny).map(move |(key, text)| (format!("{table}.{}.{key}", mode.name), text))
        })
    }

    /// Removes from the added modes of tables what their limits do not leave.
    pub(super) fn narrow(&self, mut tables: Tables) -> Tables {
        if self.focus.is_empty() && self.roles.is_empty() {
            return tables;
        }
        let (mut policy, mut roles, mut focus) =
            (tables.policy.to_vec(), tables.roles.to_vec(), tables.focus.to_vec());
        for (at, mode) in &self.roles {
            let limit = Limit::find(&tables, mode);
            limit.narrow_joining(&tables, &mut roles[*at].joining);
            let sets = policy.iter_mut().map(|cells| &mut cells[*at]);
            sets.chain([&mut roles[*at].operations]).for_each(|set| limit.narrow(&tables, set));
        }
        for (at, mode) in &self.focus {
            let limit = Limit::find(&tables, mode);
            limit.narrow_joining(&tables, &mut focus[*at].joining);
            policy[*at].iter_mut().for_each(|set| limit.narrow(&tables, set));
        }
        (tables.policy, tables.roles, tables.focus) = (policy.into(), roles.into(), focus.into());
        tables
    }
}

/// The selectors of a mode, as far as the tables have what they name.
struct Limit {
    allow: Option<Vec<Selector>>,
    deny: Vec<Selector>,
}

impl Limit {
    fn find(tables: &Tables, mode: &AddedMode) -> Self {
        let find = |texts: &Vec<String>| {
            texts.iter().filter_map(|text| Selector::find(tables, text)).collect()
        };
        Self { allow: mode.allow.as_ref().map(find), deny: find(&mode.deny) }
    }

    fn allows(&self, operation: &Operation) -> bool {
        let matches = |set: &Vec<Selector>| set.iter().any(|selector| selector.matches(operation));
        self.allow.as_ref().is_none_or(matches) && !matches(&self.deny)
    }

    /// Removes operations from a set.
    fn narrow(&self, tables: &Tables, set: &mut [u64]) {
        for (index, operation) in tables.operations.iter().enumerate() {
            if contains(set, index) && !self.allows(operation) {
                set[index / 64] &= !(1 << (index % 64));
            }
        }
    }

    /// Removes effects of operations that may join.
    fn narrow_joining(&self, tables: &Tables, joining: &mut [u8]) {
        for (effects, rule) in joining.iter_mut().zip(&*tables.joining) {
            let union = |set: &Vec<Selector>, whole| {
                let effects = set.iter().map(|one| one.joining_effects(tables, *rule, whole));
                effects.fold(0, |all, effects| all | effects)
            };
            let allowed = self.allow.as_ref().map_or(ALL_EFFECTS, |allow| union(allow, false));
            *effects &= allowed & !union(&self.deny, true);
        }
    }
}
