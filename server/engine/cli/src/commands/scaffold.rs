//! `scaffold`: prints a handler of an operation, to paste and complete.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use toolwrit_manifest::rust_names::{identifier, type_name, value_name};
use toolwrit_manifest::{Field, Model, Operation, Presence, PromptText, Returns, Served, Shape};

use crate::exit::Exit;
use crate::output;
use crate::program::manifest;
use crate::program::{Program, Verb};
use toolwrit_core::fault::{Code, Fault};
use toolwrit_text::nearest;

pub(crate) const VERB: Verb = Verb { name: "scaffold", command, run };

/// The maximum line width of rustfmt.
const MAX_WIDTH: usize = 100;

#[derive(Debug, Args)]
struct Flags {
    /// Id of the operation.
    #[arg(value_name = "OP")]
    operation: String,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("scaffold"))
        .about("Print a handler of an operation as a starting point")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { operation: id } = Flags::from_arg_matches(matches)?;
    let model = manifest::valid(program.whole().tables())?;
    let Some(operation) = model.operations.iter().find(|operation| operation.id == id) else {
        let handled = model.operations.iter().filter(|operation| model.is_handled(operation));
        let close = nearest::closest(&id, handled.map(|operation| operation.id.as_str()));
        let fault = Fault::new(Code::ToolNotFound, format!("There is no operation `{id}`."));
        return Err(fault.did_you_mean(close).into());
    };
    if !model.is_handled(operation) {
        let why = match (operation.builtin, &operation.served) {
            (Some(_), _) => "the engine carries it out.",
            (None, Served::Prompt(at))
                if matches!(model[*at].text, Some(PromptText::Cookbook(_))) =>
            {
                "its text is a cookbook."
            }
            _ => {
                "the server fills in its template. To write it in Rust, remove `template` from the manifest."
            }
        };
        output::print_message(&format!("`{id}` needs no handler: {why}"));
        return Ok(());
    }
    output::print(&method(&model, operation))?;
    let module = module(&model, operation);
    output::print_message(&format!(
        "Paste it into `impl {module}::Handlers for App`, with `use toolwrit::{{Context, Fault}};`."
    ));
    Ok(())
}

fn module(model: &Model, operation: &Operation) -> String {
    identifier(&value_name(&model[operation.category].name))
}

fn method(model: &Model, operation: &Operation) -> String {
    let types = RustTypes { model, module: module(model, operation) };
    let module = &types.module;
    let name = identifier(&value_name(&operation.name));
    let struct_name = type_name(&operation.name);
    let params = format!("{module}::{}", identifier(&struct_name));
    let result = format!("toolwrit::Result<{module}::{struct_name}Result>");
    let mut head =
        format!("    async fn {name}(&self, cx: &Context, p: {params}) -> {result} {{\n");
    if head.trim_end().len() > MAX_WIDTH {
        head = format!(
            "    async fn {name}(\n        &self,\n        cx: &Context,\n        p: {params},\n    ) -> {result} {{\n"
        );
    }
    let mut comment = types.fields("`p` has:", &struct_name, &model.handler_inputs(operation));
    comment.extend(types.result(operation, &format!("{struct_name}Result")));
    let comment: Vec<String> = comment.iter().map(|line| format!("        // {line}\n")).collect();
    let (comment, id) = (comment.concat(), &operation.id);
    format!("{head}{comment}        Err(Fault::internal(\"{id} is not written yet\"))\n    }}\n")
}

/// The Rust types of the manifest's shapes, named as the macro names them.
struct RustTypes<'a> {
    model: &'a Model,
    module: String,
}

impl RustTypes<'_> {
    /// Describes the fields of a struct, one per line.
    fn fields(&self, title: &str, owner: &str, fields: &[Field]) -> Vec<String> {
        let line = |field: &Field| {
            let inner = self.rust_type(&field.shape, &format!("{owner}{}", type_name(&field.name)));
            let ty = match field.presence {
                Presence::Optional => format!("Option<{inner}>"),
                Presence::Required | Presence::Default(_) => inner,
            };
            format!("  {}: {ty}", identifier(&value_name(&field.name)))
        };
        if fields.is_empty() {
            return Vec::new();
        }
        std::iter::once(title.to_owned()).chain(fields.iter().map(line)).collect()
    }

    fn result(&self, operation: &Operation, name: &str) -> Vec<String> {
        let shape = match &operation.returns {
            Returns::Value(shape) => shape,
            Returns::Text => return vec!["The result is a String.".to_owned()],
            Returns::Content => return vec!["The result is a toolwrit::Content.".to_owned()],
            Returns::Resource => {
                return vec!["The result is a toolwrit::ResourceContents.".to_owned()];
            }
            Returns::Messages => {
                return vec!["The result is a toolwrit::PromptMessages.".to_owned()];
            }
        };
        let (title, owner) = match shape {
            Shape::Named(id) => {
                (format!("types::{}", self.model[*id].name), &self.model[*id].name[..])
            }
            Shape::Record(_) | Shape::Enum(_) => (format!("{}::{name}", self.module), name),
            other => {
                let ty = self.rust_type(other, &format!("{name}Item"));
                return vec![format!("The result is a {ty}.")];
            }
        };
        match self.model.resolve(shape) {
            Shape::Record(fields) => {
                self.fields(&format!("The result, a {title}, has:"), owner, fields)
            }
            _ => vec![format!("The result is a {title}.")],
        }
    }

    fn rust_type(&self, shape: &Shape, name: &str) -> String {
        match shape {
            Shape::String { .. } => "String".to_owned(),
            Shape::Integer { format, .. } => format.as_str().to_owned(),
            Shape::Number { .. } => "f64".to_owned(),
            Shape::Boolean => "bool".to_owned(),
            Shape::Date => "toolwrit::Date".to_owned(),
            Shape::DateTime => "toolwrit::Timestamp".to_owned(),
            Shape::Json => "toolwrit::Json".to_owned(),
            Shape::Array { items, .. } => format!("Vec<{}>", self.rust_type(items, name)),
            Shape::Map(values) => format!("BTreeMap<String, {}>", self.rust_type(values, name)),
            Shape::Named(id) => format!("types::{}", self.model[*id].name),
            Shape::Enum(_) | Shape::Record(_) => format!("{}::{name}", self.module),
        }
    }
}
