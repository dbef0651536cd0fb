//! The rows as the macro writes them: all that they name is in the binary. An author's code has no lifetimes
//! to write or to be warned of.

macro_rules! for_ever {
    ($($row:ident)*) => {$(
        #[doc = concat!("A [`", stringify!($row), "`](super::", stringify!($row), ") in the binary.")]
        pub type $row = super::$row<'static>;
    )*};
}

for_ever! {
    Alias Category DeclaredContext DeclaredError Deprecation Example Field FocusMode Name Operation Presence
    Prompt Provider Resource Returns Role Served ServerInfo Sign Source Tables Type
}

pub use super::{Authority, Begins, Budget, Effect, PageSizes, Pattern, Task, TaskSupport};
