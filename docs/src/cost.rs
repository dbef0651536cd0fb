//! Measured costs of surfaces. The engine measures them, and the reference shows them.

/// The cost of one surface for a client under one focus mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceCost {
    /// `flat`, `dispatch` or `meta`.
    pub surface: String,
    /// `effect` or `none`; empty if the surface is not split.
    pub split: String,
    /// The current focus mode.
    pub focus: String,
    /// Tools in `tools/list`.
    pub tools: usize,
    /// Bytes of what a client hands its model of them: names, descriptions and input schemas, as JSON.
    pub bytes: usize,
    /// Tokens (o200k) of the same JSON.
    pub tokens: usize,
}
