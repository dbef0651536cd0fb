//! Values with a short form and a long form, which is a mapping.

use serde_json::{Number, Value};

use super::read::{Entries, Entry, FromNode, Located, mapping, wrong_kind};
use super::scalars::{Period, Weight};
use crate::diagnostics::{Place, Report};
use crate::model::{Begins, Effect, IntegerFormat, TaskSupport};
use crate::yaml::{Kind, Node, Text};

/// A type: an expression, or a mapping with constraints.
#[derive(Debug, Clone, Default)]
pub(crate) enum RawShape {
    /// `NotePath[]`, followed by ` = value` where a default is allowed.
    Expression(Text),
    /// The long form, and the place of its key.
    Long(Box<RawLongShape>, Place),
    /// Neither; reported.
    #[default]
    Unreadable,
}

impl FromNode for RawShape {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        match &node.kind {
            Kind::Text(text) => Some(RawShape::Expression(text.clone())),
            Kind::Mapping(_) => {
                let long = RawLongShape::from_node(node, owner, report)?;
                Some(RawShape::Long(Box::new(long), owner))
            }
            _ => {
                wrong_kind(node, owner, "a type expression or a mapping", report);
                None
            }
        }
    }
}

/// A set of operations.
#[derive(Debug, Clone)]
pub(crate) enum RawSelector {
    /// `"*"`, `vault`, `vault.*` or `vault.read`.
    Word(Text),
    /// Conditions, and their place.
    Where(RawConditions, Place),
}

impl FromNode for RawSelector {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        match &node.kind {
            Kind::Text(text) => Some(RawSelector::Word(text.clone())),
            Kind::Mapping(_) => {
                Some(RawSelector::Where(RawConditions::from_node(node, owner, report)?, node.place))
            }
            _ => {
                wrong_kind(node, owner, "a selector: a string or a mapping", report);
                None
            }
        }
    }
}

/// An older name: only the name, or a mapping if its arguments differ.
#[derive(Debug, Clone)]
pub(crate) struct RawAlias(pub(crate) RawLongAlias);

impl FromNode for RawAlias {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        match &node.kind {
            Kind::Text(text) => {
                let name = Some(RawNames(vec![text.clone()]));
                Some(Self(RawLongAlias { name, ..RawLongAlias::default() }))
            }
            Kind::Mapping(_) => RawLongAlias::from_node(node, owner, report).map(Self),
            _ => {
                wrong_kind(node, owner, "an older name or a mapping", report);
                None
            }
        }
    }
}

/// A name, or a list of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawNames(pub(crate) Vec<Text>);

impl FromNode for RawNames {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        match &node.kind {
            Kind::Text(text) => Some(Self(vec![text.clone()])),
            Kind::Sequence(items) if !items.is_empty() => {
                Vec::from_node(node, owner, report).map(Self)
            }
            _ => {
                wrong_kind(node, owner, "a name or a list of names", report);
                None
            }
        }
    }
}

/// How it continues as a task: only the kind of clients, or a mapping.
#[derive(Debug, Clone)]
pub(crate) struct RawTask(pub(crate) RawLongTask);

impl FromNode for RawTask {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        if let Kind::Mapping(_) = node.kind {
            return RawLongTask::from_node(node, owner, report).map(Self);
        }
        let support = Some(Located::from_node(node, owner, report)?);
        Some(Self(RawLongTask { support, begins: None }))
    }
}

/// How answers may be reused: only a period, or a mapping. With the place of its key.
#[derive(Debug, Clone)]
pub(crate) struct RawCache(pub(crate) RawLongCache, pub(crate) Place);

impl FromNode for RawCache {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        if let Kind::Mapping(_) = node.kind {
            return Some(Self(RawLongCache::from_node(node, owner, report)?, owner));
        }
        let r#for = Some(Located::from_node(node, owner, report)?);
        Some(Self(RawLongCache { r#for, shared: None }, node.place))
    }
}

/// A deprecation: only the note, or a mapping.
#[derive(Debug, Clone)]
pub(crate) struct RawDeprecation(pub(crate) RawLongDeprecation);

impl FromNode for RawDeprecation {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        match &node.kind {
            Kind::Text(text) => Some(Self(RawLongDeprecation {
                note: Some(text.clone()),
                ..RawLongDeprecation::default()
            })),
            Kind::Mapping(_) => RawLongDeprecation::from_node(node, owner, report).map(Self),
            _ => {
                wrong_kind(node, owner, "a note or a mapping", report);
                None
            }
        }
    }
}

/// An argument of a prompt or a variable of a URI: only its description, or a mapping.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawArgument(pub(crate) RawLongArgument);

impl FromNode for RawArgument {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        match &node.kind {
            Kind::Text(text) => Some(Self(RawLongArgument {
                description: Some(text.clone()),
                ..RawLongArgument::default()
            })),
            Kind::Mapping(_) => RawLongArgument::from_node(node, owner, report).map(Self),
            _ => {
                wrong_kind(node, owner, "a description or a mapping", report);
                None
            }
        }
    }
}

/// A keyword: only the word, or a mapping with its weight.
#[derive(Debug, Clone)]
pub(crate) struct RawKeyword(pub(crate) RawLongKeyword);

impl FromNode for RawKeyword {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        if let Kind::Mapping(_) = node.kind {
            return RawLongKeyword::from_node(node, owner, report).map(Self);
        }
        let keyword = Some(Text::from_node(node, owner, report)?);
        Some(Self(RawLongKeyword { keyword, weight: None }))
    }
}

/// A pattern: only the expression, or a mapping with its weight.
#[derive(Debug, Clone)]
pub(crate) struct RawPattern(pub(crate) RawLongPattern);

impl FromNode for RawPattern {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        if let Kind::Mapping(_) = node.kind {
            return RawLongPattern::from_node(node, owner, report).map(Self);
        }
        let pattern = Some(Text::from_node(node, owner, report)?);
        Some(Self(RawLongPattern { pattern, weight: None }))
    }
}

/// The values of an enum: a list, or a mapping from each value to its description.
#[derive(Debug, Clone)]
pub(crate) struct RawEnum(pub(crate) Vec<RawEnumValue>);

/// One value of an enum.
#[derive(Debug, Clone)]
pub(crate) struct RawEnumValue {
    pub(crate) name: Text,
    pub(crate) description: Option<Text>,
}

impl FromNode for RawEnum {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        if let Kind::Mapping(_) = node.kind {
            let Entries(entries) = Entries::<Option<Text>>::from_node(node, owner, report)?;
            let value =
                |Entry { key: name, value: description }| RawEnumValue { name, description };
            return Some(Self(entries.into_iter().map(value).collect()));
        }
        let names = Vec::<Text>::from_node(node, owner, report)?;
        let value = |name| RawEnumValue { name, description: None };
        Some(Self(names.into_iter().map(value).collect()))
    }
}

mapping! {
    /// A type, a parameter or a field in long form. Exactly one of `type`, `enum` and `fields`.
    RawLongShape, "a type in long form" {
        /// A type expression, such as `string`, `NotePath[]` or `map<integer>`.
        r#type: Text,
        /// One of these strings.
        r#enum: RawEnum,
        /// An object with these fields. A key that ends in `?` is optional.
        fields: Entries<RawShape>,
        /// Its default. Only for parameters and fields, which it makes optional.
        default: Located<Value>,
        /// Integers only: the type that holds it in Rust. i64 unless given.
        format: Located<IntegerFormat>,
        /// Smallest number.
        min: Located<Number>,
        /// Largest number.
        max: Located<Number>,
        /// Shortest string, in characters.
        min_length: Located<u64>,
        /// Longest string, in characters.
        max_length: Located<u64>,
        /// Regular expression, RE2 style, that must match somewhere in the string.
        pattern: Text,
        /// Fewest items of a list.
        min_items: Located<u64>,
        /// Most items of a list.
        max_items: Located<u64>,
        /// For people and models.
        description: Text,
        /// A valid value.
        example: Located<Value>,
        /// Never written to logs or the audit.
        sensitive: Located<bool>,
        /// Only for parameters and fields: null may be sent, and clears the value.
        nullable: Located<bool>,
        /// Only for parameters that are lists: an item that does not fit reaches the handler with its fault, and the call
        /// goes on.
        separate: Located<bool>,
    }

    /// Every given condition must hold. At least one is given.
    RawConditions, "a selector" {
        /// The operation's effect.
        effect: Located<Effect>,
        /// One of the operation's tags.
        tag: Text,
        /// The operation's category.
        category: Text,
    }

    /// A keyword with a weight.
    RawLongKeyword, "a keyword" {
        /// A word, or a phrase.
        keyword: Text [required],
        /// Its weight. 1 unless given.
        weight: Located<Weight>,
    }

    /// A pattern with a weight.
    RawLongPattern, "a pattern" {
        /// A regular expression, RE2 style.
        pattern: Text [required],
        /// Its weight. 1 unless given.
        weight: Located<Weight>,
    }

    /// How answers may be reused.
    RawLongCache, "`cache`" {
        /// For how long.
        r#for: Located<Period> [required],
        /// An answer to one caller may be reused for others.
        shared: Located<bool>,
    }

    /// An older name whose arguments differ.
    RawLongAlias, "an alias" {
        /// The older name; or `name(parameter: value)`, the name in calls with this argument, and `name(parameter)`, the name
        /// in calls with this parameter, if it is also an alias of its own or a current name. Several names share the rest.
        name: RawNames [required],
        /// Older parameters, objects, whose members are parameters.
        flatten: Vec<Text>,
        /// Older parameters, or JSON pointers to places inside them, that no longer have an effect.
        ignore: Vec<Text>,
        /// Older parameters of which only some values are accepted, which change nothing.
        harmless: Entries<RawHarmless>,
        /// Parameters, older or current, whose texts are JSON.
        parse: Vec<Text>,
        /// Older parameter names, and the current ones, or JSON pointers to places inside them.
        args: Entries<Option<Text>>,
        /// For parameters, or JSON pointers: older values, and the current ones.
        values: Entries<Entries<Option<Located<Value>>>>,
        /// Parameters, or JSON pointers, that the older name sets to fixed values.
        set: Entries<Option<Located<Value>>>,
        /// Older parameters that are lists, and how their items become items of a current list.
        each: Entries<RawEach>,
    }

    /// An older parameter of which only some values are accepted.
    RawHarmless, "a harmless parameter" {
        /// The values that change nothing.
        values: Vec<Text> [required],
        /// What to do instead of sending another value.
        hint: Text [required],
    }

    /// How each item of an older list becomes an item of a current one.
    RawEach, "a mapping of items" {
        /// The current list: a parameter, or a JSON pointer. Several older lists may have the same one.
        into: Text [required],
        /// Where in the current item an older item belongs that is not an object.
        item: Text,
        /// Where in the current item an identifier belongs that is made from the item and its position.
        id: Text,
        /// Older fields of an item, objects, whose members are its fields.
        flatten: Vec<Text>,
        /// Older fields of an item, or JSON pointers, that no longer have an effect.
        ignore: Vec<Text>,
        /// Older fields of an item, and the current ones, or JSON pointers to places inside them.
        args: Entries<Option<Text>>,
        /// For fields of an item, or JSON pointers: older values, and the current ones.
        values: Entries<Entries<Option<Located<Value>>>>,
        /// Fields of an item, or JSON pointers, that are set to fixed values.
        set: Entries<Option<Located<Value>>>,
    }

    /// How it continues as a task.
    RawLongTask, "`task`" {
        /// With which clients.
        support: Located<TaskSupport> [required],
        /// When the call becomes a task. At once unless given.
        begins: Located<Begins>,
    }

    /// What replaces it.
    RawLongDeprecation, "`deprecated`" {
        /// The version that deprecated it.
        since: Text,
        /// The operation that replaces it.
        r#use: Text,
        /// Why, or how to migrate.
        note: Text,
    }

    /// An argument of a prompt, or a variable of a resource's URI.
    RawLongArgument, "an argument" {
        /// For people and models.
        description: Text,
        /// The allowed values. Any value if absent.
        values: Vec<Text>,
        /// A handler suggests values while a person types.
        complete: Located<bool>,
    }
}
