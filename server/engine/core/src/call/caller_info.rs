//! What a call, its clones, its handler and the calls that this makes have in common.

use std::sync::Arc;

use crate::caller::origin::Origin;
use crate::caller::surface_kind::SurfaceKind;
use crate::policy::Policy;
use toolwrit_text::numbers::WrittenNumbers;

/// Who makes a call, what the caller may do, and how the call came.
#[derive(Debug, Clone)]
pub struct CallerInfo {
    /// What the caller may do.
    pub policy: Arc<Policy>,
    /// The surface of the tool that was called; `None` without a surface, as on the command line.
    pub surface: Option<SurfaceKind>,
    /// Where the request comes from.
    pub origin: Origin,
    /// The numbers of its arguments as they were written.
    pub numbers: WrittenNumbers,
}
