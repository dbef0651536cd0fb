//! Positions of shared values.

macro_rules! ids {
    ($($id:ident)*) => {$(
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $id(pub(super) usize);
    )*};
}
ids!(ArrayId ObjectId FunctionId MomentId RegexId);
