//! Measures what each surface costs a model, in o200k tokens: the names, descriptions and input schemas of the
//! listed tools.

use super::{Split, Surface, SurfaceChoice, SurfaceOptions};
use crate::tokens;
use toolwrit_core::caller::surface_kind::SurfaceKind;
use toolwrit_core::policy::Policy;

/// The cost of one surface under one focus mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredSurface {
    /// How operations are presented.
    pub kind: SurfaceKind,
    /// `None` for a surface that does not split.
    pub split: Option<Split>,
    /// The focus mode.
    pub focus: String,
    /// Tools in `tools/list`.
    pub tools: usize,
    /// Bytes of their names, descriptions and input schemas, as compact JSON.
    pub bytes: usize,
    /// The same in o200k tokens.
    pub tokens: usize,
    /// Further tokens of the list as it is sent: titles, annotations and output schemas.
    pub other_tokens: usize,
}

impl MeasuredSurface {
    /// `effect` or `none`; empty for a surface that does not split.
    pub fn split_name(&self) -> &'static str {
        self.split.map_or("", Split::as_str)
    }
}

const CHOICES: [(SurfaceChoice, Option<Split>); 5] = [
    (SurfaceChoice::Flat, None),
    (SurfaceChoice::Dispatch, Some(Split::Effect)),
    (SurfaceChoice::Dispatch, Some(Split::None)),
    (SurfaceChoice::Meta, Some(Split::Effect)),
    (SurfaceChoice::Meta, Some(Split::None)),
];

/// Measures every surface under every focus mode, with the policy's role and other restrictions.
pub fn measure_all(policy: &Policy) -> impl Iterator<Item = MeasuredSurface> {
    let modes = (0..policy.tables().focus.len()).map(|focus| policy.under_focus(focus));
    modes.flat_map(|policy| CHOICES.map(|(choice, split)| measure(&policy, choice, split)))
}

/// Measures one surface under the policy's own focus mode.
pub fn measure(policy: &Policy, choice: SurfaceChoice, split: Option<Split>) -> MeasuredSurface {
    let defaults = SurfaceOptions { kind: choice, ..SurfaceOptions::default() };
    let options = SurfaceOptions { split: split.unwrap_or_default(), ..defaults };
    let surface = Surface::build(policy, options);
    let listing = surface.listing(policy);
    let text = listing.to_model_json().to_string();
    let count = |text: &str| tokens::count(text).unwrap_or_default();
    let tokens = count(&text);
    MeasuredSurface {
        kind: surface.kind,
        split,
        focus: policy.focus().to_owned(),
        tools: listing.descriptors().len(),
        bytes: text.len(),
        tokens,
        other_tokens: count(&listing.to_json().to_string()).saturating_sub(tokens),
    }
}
