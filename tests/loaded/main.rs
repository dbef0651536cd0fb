//! A manifest that is loaded at run time is the same authority as the one that the macro compiles.

mod rows;
