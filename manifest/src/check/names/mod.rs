//! Names: how they are written, which of them are declared, and that they are unique where they are used.

pub(super) mod generated;
pub(super) mod lookup;
pub(super) mod optional;
pub(super) mod served;
pub(super) mod spelling;
pub(super) mod surfaces;
