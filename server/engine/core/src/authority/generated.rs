//! The row types of generated tables, whose data is in the binary. The aliases keep lifetimes out of an
//! author's generated code.

macro_rules! static_rows {
    ($($row:ident)*) => {$(
        #[doc = concat!("A [`", stringify!($row), "`](super::", stringify!($row), ") of static data.")]
        pub type $row = super::$row<'static>;
    )*};
}

static_rows! {
    Alias Category Cookbook DeclaredContext DeclaredError DeclaredProvider Deprecation EachItem Example Field FocusMode
    Mapping MergedOperation MergedTool Name Operation Presence Prompt RemovedTool Resource Returns Role Served ServerInfo Sign Source Tables Type
}

pub use super::{
    Authority, Begins, Budget, Builtin, Effect, Joining, PageSizes, Pattern, Task, TaskSupport,
};
