//! The places where the language takes a short form or a mapping.

use super::document::{
    RawConditions, RawLongAlias, RawLongArgument, RawLongCache, RawLongDeprecation, RawLongKeyword,
    RawLongPattern, RawLongShape, RawLongTask,
};
use super::read::{FromNode, Located, wrong_kind};
use crate::report::Report;
use crate::source::Place;
use crate::yaml::{Kind, Node, Text};

/// A type: an expression, or a mapping with constraints.
#[derive(Debug, Clone, Default)]
pub(crate) enum RawShape {
    /// `NotePath[]`, with ` = value` behind it where a default may stand.
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

/// An older name: the name alone, or a mapping when its arguments differ.
#[derive(Debug, Clone)]
pub(crate) struct RawAlias(pub(crate) RawLongAlias);

impl FromNode for RawAlias {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        match &node.kind {
            Kind::Text(text) => {
                Some(Self(RawLongAlias { name: Some(text.clone()), ..RawLongAlias::default() }))
            }
            Kind::Mapping(_) => RawLongAlias::from_node(node, owner, report).map(Self),
            _ => {
                wrong_kind(node, owner, "an older name or a mapping", report);
                None
            }
        }
    }
}

/// How it goes on as a task: with which clients alone, or a mapping.
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

/// How answers may be reused: for how long alone, or a mapping. With the place of its key.
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

/// A deprecation: the note alone, or a mapping.
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

/// An argument of a prompt or a variable of a URI: its description alone, or a mapping.
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

/// A keyword: the word alone, or a mapping with its weight.
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

/// A pattern: the expression alone, or a mapping with its weight.
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
