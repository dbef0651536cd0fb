//! Handlers as printed by `scaffold`, in a program that compiles.
#![expect(unused_variables, reason = "nothing is written yet")]

use toolwrit::{Context, Fault};

toolwrit::authority!("stubs.yaml");

struct App;

const _: App = App;

impl depot::Handlers for App {
    async fn r#move(&self, cx: &Context, p: depot::Move) -> toolwrit::Result<depot::MoveResult> {
        // `p` has:
        //   thing: String
        //   to: types::Place
        //   when: Option<toolwrit::Date>
        //   how: depot::MoveHow
        //   r#type: Option<depot::MoveType>
        // The result, a types::Place, has:
        //   shelf: i64
        //   label: Option<String>
        Err(Fault::internal("depot.move is not written yet"))
    }

    async fn find(&self, cx: &Context, p: depot::Find) -> toolwrit::Result<depot::FindResult> {
        // `p` has:
        //   words: Vec<String>
        //   since: Option<toolwrit::Timestamp>
        //   extra: Option<toolwrit::Json>
        // The result is a Vec<types::Place>.
        Err(Fault::internal("depot.find is not written yet"))
    }

    async fn count(&self, cx: &Context, p: depot::Count) -> toolwrit::Result<depot::CountResult> {
        // The result is a BTreeMap<String, i64>.
        Err(Fault::internal("depot.count is not written yet"))
    }

    async fn reserve_for_later_use(
        &self,
        cx: &Context,
        p: depot::ReserveForLaterUse,
    ) -> toolwrit::Result<depot::ReserveForLaterUseResult> {
        // `p` has:
        //   things: BTreeMap<String, f64>
        // The result is a String.
        Err(Fault::internal("depot.reserve_for_later_use is not written yet"))
    }
}

impl prompts::Handlers for App {
    async fn take_stock(
        &self,
        cx: &Context,
        p: prompts::TakeStock,
    ) -> toolwrit::Result<prompts::TakeStockResult> {
        // `p` has:
        //   place: String
        // The result is a toolwrit::PromptMessages.
        Err(Fault::internal("prompts.take-stock is not written yet"))
    }
}

impl resources::Handlers for App {
    async fn ledger(
        &self,
        cx: &Context,
        p: resources::Ledger,
    ) -> toolwrit::Result<resources::LedgerResult> {
        // The result is a toolwrit::ResourceContents.
        Err(Fault::internal("resources.ledger is not written yet"))
    }
}
