//! The documentation site of an authority, limited to what a policy shows.

use std::collections::{BTreeMap, BTreeSet};

use toolwrit_docs::{JoinedOperation, ProviderOperations, SurfaceCost, WithheldOperation};
use toolwrit_manifest::Problems;

use toolwrit_core::authority::{AuthorityVersion, Operation, Served, Tables};
use toolwrit_core::json::written::parse_row_text;
use toolwrit_core::policy::{Decision, Policy};
use toolwrit_mcp::surface::{MeasuredSurface, measure_all};

/// What a policy shows. Equal views have equal sites.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SiteView {
    /// The authority that the positions refer to.
    version: AuthorityVersion,
    /// The focus mode in force.
    focus: String,
    /// The role of the callers, the only one they may see. `None` for operators, who see all roles.
    role: Option<String>,
    shown: Vec<usize>,
    /// The operations that the caller may use when a provider is available.
    withheld: Vec<usize>,
    /// The shown operations under each focus mode, on which the costs of the surfaces depend.
    by_focus: Vec<Vec<usize>>,
}

impl SiteView {
    pub(crate) fn new(policy: &Policy) -> Self {
        policy.refresh();
        let shown = |policy: &Policy| -> Vec<usize> {
            (0..policy.tables().operations.len()).filter(|index| policy.shows(*index)).collect()
        };
        let all = 0..policy.tables().operations.len();
        let withheld = all.filter(|index| policy.decide(*index) == Decision::ProviderMissing);
        let modes = 0..policy.tables().focus.len();
        Self {
            version: policy.authority.version(),
            focus: policy.focus().to_owned(),
            role: (!policy.is_operators()).then(|| policy.role().to_owned()),
            shown: shown(policy),
            withheld: withheld.collect(),
            by_focus: modes.map(|focus| shown(&policy.under_focus(focus))).collect(),
        }
    }

    /// The same view, with operation ids in place of positions.
    fn of_manifest<'a>(&'a self, tables: &'a Tables) -> toolwrit_manifest::View<'a> {
        let operations: BTreeSet<&str> =
            self.shown.iter().map(|index| tables.operations[*index].id.as_str()).collect();
        toolwrit_manifest::View { operations, focus: &self.focus, role: self.role.as_deref() }
    }
}

/// Builds the site of what a policy shows: the content of each file, by its path. Uses the processor for a moment.
///
/// # Errors
/// If the manifest compiled into the program is not valid.
pub(crate) fn serve(
    policy: &Policy,
    view: &SiteView,
) -> Result<BTreeMap<String, Vec<u8>>, Problems> {
    let files = policy.tables().sources.iter();
    let files = files.map(|source| (source.path.as_str(), source.text.as_str()));
    let manifest = toolwrit_manifest::load_kept(files)?;
    let shown = manifest.narrowed(&view.of_manifest(policy.tables()));
    let now = ProviderOperations { joined: joined(policy), withheld: withheld(policy, view) };
    Ok(toolwrit_docs::serve(&shown, &policy.tables().server.version, &costs(policy), &now))
}

/// Returns the tools that the caller may use when a provider is available.
fn withheld(policy: &Policy, view: &SiteView) -> Vec<WithheldOperation> {
    let tables = policy.tables();
    let withheld_row = |index: &usize| {
        let operation = &tables.operations[*index];
        let provider = operation.requires.filter(|_| operation.served == Served::Tool)?;
        Some(WithheldOperation {
            id: operation.id.clone(),
            summary: operation.summary.clone(),
            provider: tables.providers[usize::from(provider)].title.clone(),
        })
    };
    view.withheld.iter().filter_map(withheld_row).collect()
}

/// Returns the operations that providers have added, as far as the policy shows them.
fn joined(policy: &Policy) -> Vec<JoinedOperation> {
    let tables = policy.tables();
    let joined_row = |(_, operation): (usize, &Operation)| {
        let provider = operation.requires.filter(|_| operation.is_dynamic)?;
        Some(JoinedOperation {
            id: operation.id.clone(),
            summary: operation.summary.clone(),
            description: operation.description.clone(),
            effect: operation.effect,
            signature: operation.signature.clone(),
            input_schema: parse_row_text(&operation.input_schema),
            examples: operation
                .examples
                .iter()
                .map(|example| parse_row_text(&example.args))
                .collect(),
            provider: tables.providers[usize::from(provider)].title.clone(),
        })
    };
    policy.visible().filter_map(joined_row).collect()
}

/// Returns the costs of each surface under a policy.
pub fn costs(policy: &Policy) -> Vec<SurfaceCost> {
    let cost = |cost: MeasuredSurface| SurfaceCost {
        surface: cost.kind.as_str().to_owned(),
        split: cost.split_name().to_owned(),
        focus: cost.focus,
        tools: cost.tools,
        bytes: cost.bytes,
        tokens: cost.tokens,
    };
    measure_all(policy).map(cost).collect()
}
