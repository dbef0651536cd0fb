//! The surfaces of an authority: which tools a client sees, and which operation a tool call runs.
//! A surface is built once per policy. The pipeline, not the surface, decides about permission.

#[cfg(feature = "tokens")]
mod cost;
mod descriptor;
mod dispatch;
mod flat;
mod legacy;
mod listing;
mod merged;
mod meta;
mod pinned;
mod unlisted;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::tokens;
use toolwrit_core::authority::{Effect, MergedTool, Operation, Tables};
use toolwrit_core::caller::surface_kind::SurfaceKind;
use toolwrit_core::policy::Policy;

#[cfg(feature = "tokens")]
pub use cost::{MeasuredSurface, measure, measure_all};
pub(crate) use descriptor::schema;
pub use descriptor::{Hints, Profile, ToolDescriptor};
pub(crate) use dispatch::{ALL, PROVIDERS};
pub(crate) use listing::FullCost;
pub use listing::Listing;
pub use pinned::{MANY_TOKENS, PinnedCost, count_tokens, measure_pins};

/// Most operations that `auto` lists flat: below this a flat list is the most accurate.
const AUTO_OPERATIONS: usize = 40;
/// Most o200k tokens that `auto` spends on a flat list.
const AUTO_TOKENS: usize = 6_000;

/// The surface that an operator chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum SurfaceChoice {
    /// Every operation is a tool.
    Flat,
    /// A few tools per category, and `discover`.
    Dispatch,
    /// Search, describe and execute.
    Meta,
    /// `flat` if that listing is small, otherwise `meta`.
    #[default]
    Auto,
}

/// Whether tools that run operations are split by effect, so that a host can allow only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Split {
    /// One tool per effect.
    #[default]
    Effect,
    /// One tool for all.
    None,
}

impl SurfaceChoice {
    /// All choices.
    pub const ALL: [Self; 4] = [Self::Flat, Self::Dispatch, Self::Meta, Self::Auto];

    /// Returns the name in flags and configuration files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Flat => SurfaceKind::Flat.as_str(),
            Self::Dispatch => SurfaceKind::Dispatch.as_str(),
            Self::Meta => SurfaceKind::Meta.as_str(),
            Self::Auto => "auto",
        }
    }

    /// Returns the choice of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == name)
    }

    fn resolve(self, policy: &Policy) -> SurfaceKind {
        match self {
            Self::Flat => SurfaceKind::Flat,
            Self::Dispatch => SurfaceKind::Dispatch,
            Self::Meta => SurfaceKind::Meta,
            Self::Auto => choose(policy),
        }
    }
}

impl Split {
    /// Returns the name in flags and configuration files.
    pub fn as_str(self) -> &'static str {
        match self {
            Split::Effect => "effect",
            Split::None => "none",
        }
    }
}

/// The options of a surface.
#[derive(Debug, Clone, Copy, Default)]
pub struct SurfaceOptions {
    /// How operations are presented.
    pub kind: SurfaceChoice,
    /// Whether tools are split by effect.
    pub split: Split,
    /// What the client understands.
    pub profile: Profile,
    /// Whether the flat surface lists older names, too, as deprecated tools.
    pub legacy: bool,
    /// The program whose command `call` calls operations; `None` without a command line.
    pub command: Option<&'static str>,
    /// Operations that are tools of their own on every surface.
    pub pins: &'static [String],
}

/// The surfaces of a server, as the operator chose.
#[derive(Debug, Clone, Default)]
pub struct SurfaceConfig {
    /// For all other clients.
    pub general: SurfaceOptions,
    /// For client programs of these names.
    pub clients: Vec<(String, SurfaceOptions)>,
}

impl SurfaceConfig {
    /// Returns the configuration that gives every client this surface.
    #[must_use]
    pub fn only(&self, kind: SurfaceChoice) -> Self {
        Self { general: SurfaceOptions { kind, ..self.general }, clients: Vec::new() }
    }
}

/// What a call of a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolTarget {
    /// The operation whose wire name is the tool's name.
    Operation,
    /// One of several operations, which a parameter names.
    Merged,
    /// `{operation, params}` within a category.
    Category { category: usize, effect: Option<Effect> },
    /// `{tool, args}` for any operation.
    Execute { effect: Option<Effect> },
    /// `{category?, detail?}`.
    Discover,
    /// `{query?, category?, limit?}`.
    Search,
    /// `{tools}`.
    Describe,
    /// No parameters: describes the server.
    Introspect,
    /// `{message?, previous?}`.
    Context,
}

/// The tools of one surface under one policy.
#[derive(Debug)]
pub(crate) struct Surface {
    pub(crate) kind: SurfaceKind,
    options: SurfaceOptions,
    targets: BTreeMap<String, ToolTarget>,
    /// The last listing, and the version of the policy that it shows.
    listing: Mutex<Option<(u64, Arc<Listing>)>>,
}

impl Surface {
    pub(crate) fn build(policy: &Policy, options: SurfaceOptions) -> Self {
        Self::with_kind(policy, options.kind.resolve(policy), options)
    }

    /// The same surface under another policy. Keeps its kind even if `auto` would now choose another.
    pub(crate) fn under(&self, policy: &Policy) -> Self {
        Self::with_kind(policy, self.kind, self.options)
    }

    fn with_kind(policy: &Policy, kind: SurfaceKind, options: SurfaceOptions) -> Self {
        let tools = tools(policy, kind, options);
        let targets = tools.into_iter().map(|tool| (tool.name, tool.target)).collect();
        Self { kind, options, targets, listing: Mutex::default() }
    }

    /// The program whose command `call` calls operations.
    pub(crate) fn command(&self) -> Option<&'static str> {
        self.options.command
    }

    /// Whether tools are split by effect.
    pub(crate) fn split(&self) -> Split {
        self.options.split
    }

    /// Returns the tools to list, in manifest order. Rebuilt when the availability of a provider changes.
    pub(crate) fn listing(&self, policy: &Policy) -> Arc<Listing> {
        let version = policy.version();
        // No code that can panic runs under the lock.
        let mut kept = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, listing)) = kept.as_ref().filter(|(kept, _)| *kept == version) {
            return listing.clone();
        }
        let descriptors =
            tools(policy, self.kind, self.options).into_iter().filter_map(|tool| tool.descriptor);
        let profile = self.options.profile;
        let descriptors = descriptors.map(|descriptor| descriptor.under(profile)).collect();
        let listing = Arc::new(Listing::new(descriptors));
        *kept = Some((version, listing.clone()));
        listing
    }

    /// Returns a merged tool for some of its operations, all of one category.
    pub(crate) fn merged(
        &self,
        tables: &Tables,
        tool: &MergedTool,
        operations: &[&Operation],
    ) -> Option<ToolDescriptor> {
        let category = tables.category_of(operations.first()?);
        let named = tool.operations.iter().filter_map(|merged_operation| {
            let id = &tables.operations[usize::from(merged_operation.operation)].id;
            Some((
                merged_operation.value.as_str(),
                *operations.iter().find(|operation| operation.id == *id)?,
            ))
        });
        let named: Vec<_> = named.collect();
        Some(merged::descriptor(category, tool, &named).under(self.options.profile))
    }

    /// Returns what a call of this tool runs. Includes tools that the policy does not list, so that their
    /// calls get the policy's own answer.
    pub(crate) fn target(&self, tool: &str) -> Option<ToolTarget> {
        self.targets.get(tool).copied()
    }

    /// Returns what a call of this name runs, also if the surface does not list it.
    pub(crate) fn called(
        &self,
        tables: &Tables,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Option<ToolTarget> {
        match self.target(tool) {
            Some(ToolTarget::Category { .. })
                if unlisted::is_flat_call(tables, tool, arguments) =>
            {
                Some(ToolTarget::Operation)
            }
            listed => listed.or_else(|| unlisted::target(tables, tool)),
        }
    }

    /// Returns the tool through which this surface runs an operation.
    pub(crate) fn tool_for(&self, tables: &Tables, operation: &Operation) -> Option<&str> {
        let fits = |target: &ToolTarget| match target {
            ToolTarget::Category { category, effect } => {
                *category == usize::from(operation.category)
                    && effect.is_none_or(|effect| effect == operation.effect)
            }
            ToolTarget::Execute { effect } => {
                effect.is_none_or(|effect| effect == operation.effect)
            }
            _ => false,
        };
        let merged = tables.merged_tool_of(operation).map(|(merged, _)| &merged.name);
        let direct = self.targets.get_key_value(merged.unwrap_or(&operation.wire_name));
        let direct = direct
            .filter(|(_, target)| matches!(target, ToolTarget::Operation | ToolTarget::Merged));
        let found = direct.or_else(|| self.targets.iter().find(|(_, target)| fits(target)));
        found.map(|(name, _)| name.as_str())
    }
}

/// A tool, and its descriptor if the policy allows it to be listed.
struct SurfaceTool {
    name: String,
    target: ToolTarget,
    descriptor: Option<ToolDescriptor>,
}

fn tools(policy: &Policy, kind: SurfaceKind, options: SurfaceOptions) -> Vec<SurfaceTool> {
    let mut tools: Vec<SurfaceTool> = match kind {
        SurfaceKind::Flat if options.legacy => {
            flat::tools(policy).into_iter().chain(legacy::tools(policy)).collect()
        }
        SurfaceKind::Flat => flat::tools(policy),
        SurfaceKind::Dispatch => dispatch::tools(policy, options.split),
        SurfaceKind::Meta => meta::tools(policy, options.split),
    };
    let pinned = pinned::tools(policy, options.pins, &tools);
    tools.extend(pinned);
    tools
}

/// Resolves `auto`: flat if the listing with all providers is small. The cost is estimated, on the high side,
/// because counting tokens takes too long at start.
fn choose(policy: &Policy) -> SurfaceKind {
    let listing = Listing::full(&policy.with_every_provider());
    let descriptors = listing.descriptors();
    let cost: usize = descriptors
        .iter()
        .map(|descriptor| tokens::estimate(&descriptor.to_json().to_string()))
        .sum();
    if descriptors.len() <= AUTO_OPERATIONS && cost < AUTO_TOKENS {
        SurfaceKind::Flat
    } else {
        SurfaceKind::Meta
    }
}
