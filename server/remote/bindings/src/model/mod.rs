//! The tables that say how operations are bound to providers. They are static data that a macro emits, or data that
//! is loaded at run time; the types are the same. Whoever makes them has checked them.

mod api;
mod binding;
mod command;
mod error_rule;
mod operation;
mod page;
mod path;
mod request;
mod result;
mod step;
mod template;
mod tool;

use std::borrow::Cow;

pub use api::{
    Api, Auth, Base, ExchangeBody, ExchangeField, Probe, Rate, Setting, SettingOrText, SettingType,
    TokenExchange,
};
pub use binding::{OperationTable, ProviderTable};
pub use command::{Command, Commands, TextPart, Variable, Word};
pub use error_rule::{ErrorRule, ErrorRules, Mark};
pub use operation::Operation;
pub use page::{Page, Paging};
pub use path::{Path, Segment};
pub use request::{Body, ListStyle, Method, Parameter, Part, PartContent, PathPart, Request};
pub use result::{Element, Field, NamedShape, Read, ResultTable, Shape};
pub use step::{Pick, Requirement, Step};
pub use template::{Entry, Literal, Reference, Root, Template};
pub use tool::{Endpoint, Server, Tool, ToolResult};
pub use toolwrit_words::{Code, Effect};

/// A text in a table.
pub type Text = Cow<'static, str>;
/// A list in a table.
pub type List<T> = Cow<'static, [T]>;
