//! Positions in JSON.

/// A JSON pointer (RFC 6901). It allocates nothing until it is rendered.
#[derive(Clone, Copy)]
pub(crate) enum Pointer<'a> {
    Root,
    Key(&'a Pointer<'a>, &'a str),
    Item(&'a Pointer<'a>, usize),
}

impl Pointer<'_> {
    pub(crate) fn render(&self) -> String {
        match self {
            Pointer::Root => String::new(),
            Pointer::Key(parent, key) => {
                format!("{}/{}", parent.render(), key.replace('~', "~0").replace('/', "~1"))
            }
            Pointer::Item(parent, index) => format!("{}/{index}", parent.render()),
        }
    }
}
