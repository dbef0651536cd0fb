//! Measured costs of surfaces. The engine measures them; the reference shows them.

/// What one surface costs a client under one focus mode, as the engine has measured it.
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
    /// Bytes of the tools in `tools/list`, as JSON.
    pub bytes: usize,
    /// The same in o200k tokens.
    pub tokens: usize,
}
