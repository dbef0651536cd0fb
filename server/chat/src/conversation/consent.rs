//! The consent of a person. It comes from outside of the note.

use futures::FutureExt;
use futures::future::{self, BoxFuture};

use crate::format::BlockId;
use crate::tools::{Effect, Tool, World};

/// Why a call needs consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It changes something.
    Writes,
    /// It destroys something. This cannot be approved in advance.
    Destroys,
    /// It reaches beyond the vault while the conversation holds text of the vault.
    MayLeak,
    /// It only reads, and yet a person confirms each such call.
    MustConfirm,
}

/// Asks about the call of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The block of the call.
    pub id: BlockId,
    /// The tool that is called.
    pub tool: Tool,
    /// What needs consent: the call, or those of the calls which it carries that would need it if they were made alone. There
    /// is at least one.
    pub calls: Vec<Asked>,
    /// Whether the user has written the call, in a block of the note.
    pub by_user: bool,
}

/// A call that needs consent.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The tool.
    pub tool: Tool,
    /// The arguments as JSON in which every character is visible.
    pub arguments: String,
    /// Why it needs consent.
    pub reason: Reason,
}

/// What a person decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The call is made.
    Approve,
    /// The call is not made, and the model is told.
    Decline,
    /// Nobody can be asked now: the call waits, and the turn ends.
    Later,
}

/// Asks a person.
pub trait Consent: Send + Sync {
    /// Asks about one call.
    fn ask(&self, question: Question) -> BoxFuture<'_, Decision>;
}

/// Nobody is there: calls wait for [`TurnOptions::approve`](super::TurnOptions::approve).
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Consent for Nobody {
    fn ask(&self, _: Question) -> BoxFuture<'_, Decision> {
        future::ready(Decision::Later).boxed()
    }
}

/// Why a call needs consent, if it does.
pub(super) fn find_reason(tool: &Tool, allowed: bool, holds_vault_text: bool) -> Option<Reason> {
    match tool.effect {
        Effect::Destroy => Some(Reason::Destroys),
        _ if tool.world != World::Closed && holds_vault_text => Some(Reason::MayLeak),
        Effect::Write if !allowed => Some(Reason::Writes),
        Effect::Read if tool.confirm && !allowed => Some(Reason::MustConfirm),
        Effect::Write | Effect::Read => None,
    }
}
