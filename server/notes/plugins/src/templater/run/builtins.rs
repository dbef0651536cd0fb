//! The names of what the language and Templater offer.

/// A global function or namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Global {
    Math,
    Json,
    Object,
    Array,
    Number,
    String,
    Boolean,
    Console,
    Moment,
    ParseInt,
    ParseFloat,
    IsNan,
    /// A function of a namespace.
    Member(Namespace, &'static str),
}

/// The namespaces with functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namespace {
    Math,
    Json,
    Object,
    Array,
    Number,
    String,
    Console,
}

impl Namespace {
    fn functions(self) -> &'static [&'static str] {
        match self {
            Self::Math => &[
                "abs", "ceil", "floor", "round", "trunc", "sqrt", "sign", "max", "min", "pow",
                "random",
            ],
            Self::Json => &["stringify", "parse"],
            Self::Object => &["keys", "values", "entries", "assign", "fromEntries"],
            Self::Array => &["isArray", "from", "of"],
            Self::Number => &["isInteger", "isNaN", "isFinite", "parseInt", "parseFloat"],
            Self::String => &["fromCharCode"],
            Self::Console => &["log", "error", "warn", "info", "debug"],
        }
    }
}

impl Global {
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "Math" => Self::Math,
            "JSON" => Self::Json,
            "Object" => Self::Object,
            "Array" => Self::Array,
            "Number" => Self::Number,
            "String" => Self::String,
            "Boolean" => Self::Boolean,
            "console" => Self::Console,
            "moment" => Self::Moment,
            "parseInt" => Self::ParseInt,
            "parseFloat" => Self::ParseFloat,
            "isNaN" => Self::IsNan,
            _ => return None,
        })
    }

    pub(super) fn is_function(self) -> bool {
        !matches!(self, Self::Math | Self::Json | Self::Console)
    }

    /// A function of this namespace.
    pub(super) fn member(self, name: &str) -> Option<Self> {
        let namespace = self.namespace()?;
        let name = namespace.functions().iter().find(|known| **known == name)?;
        Some(Self::Member(namespace, name))
    }

    /// Whether a name is one of the language or of Templater.
    pub(super) fn is_known(name: &str) -> bool {
        matches!(name, "tp" | "undefined" | "NaN" | "Infinity") || Self::parse(name).is_some()
    }

    fn namespace(self) -> Option<Namespace> {
        Some(match self {
            Self::Math => Namespace::Math,
            Self::Json => Namespace::Json,
            Self::Object => Namespace::Object,
            Self::Array => Namespace::Array,
            Self::Number => Namespace::Number,
            Self::String => Namespace::String,
            Self::Console => Namespace::Console,
            _ => return None,
        })
    }
}

/// `tp`, and the groups of functions in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Module {
    Tp,
    Date,
    File,
    System,
    McpTools,
}

impl Module {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tp => "tp",
            Self::Date => "tp.date",
            Self::File => "tp.file",
            Self::System => "tp.system",
            Self::McpTools => "tp.mcpTools",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TpFunction {
    Now,
    Tomorrow,
    Yesterday,
    Weekday,
    Path,
    Folder,
    CreationDate,
    LastModifiedDate,
    Exists,
    FindFile,
    Include,
    Cursor,
    Selection,
    Rename,
    Move,
    Prompt,
    Suggester,
    MultiSuggester,
    NamedPrompt,
}

impl TpFunction {
    pub(super) fn parse(module: Module, name: &str) -> Option<Self> {
        Some(match (module, name) {
            (Module::Date, "now") => Self::Now,
            (Module::Date, "tomorrow") => Self::Tomorrow,
            (Module::Date, "yesterday") => Self::Yesterday,
            (Module::Date, "weekday") => Self::Weekday,
            (Module::File, "path") => Self::Path,
            (Module::File, "folder") => Self::Folder,
            (Module::File, "creation_date") => Self::CreationDate,
            (Module::File, "last_modified_date") => Self::LastModifiedDate,
            (Module::File, "exists") => Self::Exists,
            (Module::File, "find_tfile") => Self::FindFile,
            (Module::File, "include") => Self::Include,
            (Module::File, "cursor") => Self::Cursor,
            (Module::File, "selection") => Self::Selection,
            (Module::File, "rename") => Self::Rename,
            (Module::File, "move") => Self::Move,
            (Module::System, "prompt") => Self::Prompt,
            (Module::System, "suggester") => Self::Suggester,
            (Module::System, "multi_suggester") => Self::MultiSuggester,
            (Module::McpTools, "prompt") => Self::NamedPrompt,
            _ => return None,
        })
    }
}
