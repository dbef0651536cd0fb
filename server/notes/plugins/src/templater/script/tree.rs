//! The tree of a program.

use super::Position;

/// The statements of a template, in order, and the names that `var` declares anywhere in them.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) vars: Vec<&'a str>,
    pub(crate) statements: Vec<Statement<'a>>,
}

#[derive(Debug)]
pub(crate) struct Statement<'a> {
    pub(crate) position: Position,
    pub(crate) kind: StatementKind<'a>,
}

#[derive(Debug)]
pub(crate) enum StatementKind<'a> {
    /// Text of the template.
    Text(&'a str),
    Output(Expression<'a>),
    Expression(Expression<'a>),
    Declare(Vec<Declaration<'a>>),
    /// `function name() {}`
    Function(&'a str, Function<'a>),
    Block(Vec<Statement<'a>>),
    If(Expression<'a>, Box<Statement<'a>>, Option<Box<Statement<'a>>>),
    For {
        start: Option<Box<Statement<'a>>>,
        condition: Option<Expression<'a>>,
        step: Option<Expression<'a>>,
        body: Box<Statement<'a>>,
    },
    /// `for (const x of list)`, or over the keys with `in`.
    ForEach {
        keyword: Keyword,
        pattern: Pattern<'a>,
        over: Expression<'a>,
        keys: bool,
        body: Box<Statement<'a>>,
    },
    While(Expression<'a>, Box<Statement<'a>>),
    DoWhile(Box<Statement<'a>>, Expression<'a>),
    /// The value, and the cases; `None` is `default`.
    Switch(Expression<'a>, Vec<(Option<Expression<'a>>, Vec<Statement<'a>>)>),
    Break,
    Continue,
    Return(Option<Expression<'a>>),
    Throw(Expression<'a>),
    Try {
        body: Vec<Statement<'a>>,
        catch: Option<(Option<Pattern<'a>>, Vec<Statement<'a>>)>,
        finally: Vec<Statement<'a>>,
    },
}

#[derive(Debug)]
pub(crate) struct Declaration<'a> {
    pub(crate) pattern: Pattern<'a>,
    pub(crate) value: Option<Expression<'a>>,
    pub(crate) keyword: Keyword,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    Const,
    Let,
    Var,
}

/// What a value is taken apart into.
#[derive(Debug)]
pub(crate) enum Pattern<'a> {
    Name(&'a str),
    /// `None` skips an element. The last pattern takes the rest.
    Array(Vec<Option<(Pattern<'a>, Option<Expression<'a>>)>>, Option<Box<Pattern<'a>>>),
    Object(Vec<(Name<'a>, Pattern<'a>, Option<Expression<'a>>)>, Option<&'a str>),
    /// An expression that can be assigned to: `a.b`, `a[0]`.
    Target(Box<Expression<'a>>),
}

/// A name of a property, as written or from a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name<'a>(pub(crate) std::borrow::Cow<'a, str>);

#[derive(Debug)]
pub(crate) struct Expression<'a> {
    pub(crate) position: Position,
    pub(crate) kind: ExpressionKind<'a>,
}

#[derive(Debug)]
pub(crate) enum ExpressionKind<'a> {
    Null,
    Boolean(bool),
    Number(f64),
    String(String),
    Regex {
        pattern: &'a str,
        flags: &'a str,
    },
    Template(Vec<TemplatePart<'a>>),
    Variable(&'a str),
    Array(Vec<Argument<'a>>),
    Object(Vec<Property<'a>>),
    Function(Function<'a>),
    Member(Member<'a>),
    Call(Call<'a>),
    Unary(Unary, Box<Expression<'a>>),
    /// `++` and `--`, before or after their target.
    Update {
        update: Update,
        before: bool,
        target: Box<Expression<'a>>,
    },
    Binary(Binary, Box<Expression<'a>>, Box<Expression<'a>>),
    Logical(Logical, Box<Expression<'a>>, Box<Expression<'a>>),
    Conditional(Box<Expression<'a>>, Box<Expression<'a>>, Box<Expression<'a>>),
    Assign(Operator, Pattern<'a>, Box<Expression<'a>>),
}

#[derive(Debug)]
pub(crate) enum TemplatePart<'a> {
    Text(String),
    Value(Expression<'a>),
}

/// `object.name`, `object[index]`; with `optional`, `object?.name`.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    pub(crate) object: Box<Expression<'a>>,
    pub(crate) key: Key<'a>,
    pub(crate) optional: bool,
}

#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) callee: Box<Expression<'a>>,
    pub(crate) arguments: Vec<Argument<'a>>,
    pub(crate) optional: bool,
}

#[derive(Debug)]
pub(crate) enum Key<'a> {
    Name(Name<'a>),
    Computed(Box<Expression<'a>>),
}

/// An argument or an element, with `spread` all elements of it.
#[derive(Debug)]
pub(crate) struct Argument<'a> {
    pub(crate) value: Expression<'a>,
    pub(crate) spread: bool,
}

#[derive(Debug)]
pub(crate) enum Property<'a> {
    Pair(Key<'a>, Expression<'a>),
    Spread(Expression<'a>),
}

#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub(crate) parameters: Vec<(Pattern<'a>, Option<Expression<'a>>)>,
    pub(crate) rest: Option<Pattern<'a>>,
    /// The names that `var` declares anywhere in the body.
    pub(crate) vars: Vec<&'a str>,
    pub(crate) body: Body<'a>,
}

#[derive(Debug)]
pub(crate) enum Body<'a> {
    Value(Box<Expression<'a>>),
    Statements(Vec<Statement<'a>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Minus,
    Plus,
    TypeOf,
    /// `await`: values are always there already.
    Await,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Update {
    Increment,
    Decrement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    Equal,
    NotEqual,
    StrictEqual,
    StrictNotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logical {
    And,
    Or,
    Coalesce,
}

/// The operator of an assignment: `=`, `+=`, `??=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Set,
    Binary(Binary),
    Logical(Logical),
}
