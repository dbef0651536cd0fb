//! What is kept of calls: their records, their counts, answers to calls with a key, and the costs of tool listings.

pub mod call_totals;
pub mod claim;
pub mod counters;
pub mod listing_costs;
pub mod record;
pub mod recorder;
pub mod row;
pub mod savings;
pub mod storage;
