//! Where a request comes from.

use std::sync::Arc;

use crate::caller::principal::{Attributes, Principal};
use crate::caller::sender::{ClientInfo, RequestId};
use crate::caller::trace_parent::TraceParent;

/// Where a request comes from, as its transport describes it. The default is this program itself.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// On whose behalf the request is made.
    pub principal: Principal,
    /// The claims of the credential beyond name and role.
    pub attributes: Option<Arc<Attributes>>,
    /// The client program; `None` if it does not identify itself.
    pub client: Option<ClientInfo>,
    /// The JSON-RPC id of the request; `None` on the command line.
    pub request_id: Option<RequestId>,
    /// The trace that the request belongs to.
    pub trace: Option<TraceParent>,
}

impl From<Principal> for Origin {
    fn from(principal: Principal) -> Self {
        Self { principal, ..Self::default() }
    }
}
