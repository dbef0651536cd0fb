//! What templates ask for.

use serde_json::json;
use toolwrit_plugins::templater::{ParameterKind, TemplateError, Templater};

use super::Notes;

const TEMPLATE: &str = r#"<%*
const title = await tp.system.prompt("Title of the book?");
let rating = await tp.system.suggester(["Good", "Bad"], [5, 1], false, "How was it?");
const year = await tp.system.prompt("Year", "2026");
if (rating > 1) { var why = await tp.system.prompt("Why is it good?", null, false, true) }
const computed = await tp.system.suggester((x) => x.name, [{ name: "a", id: 1 }, { name: "b", id: 2 }]);
-%>
# <% title %> <% year %> <% rating %> <% why %> <% computed.id %> <% tp.mcpTools.prompt("author", "Who wrote it") %> <% tp.mcpTools.prompt("author") %> <% await tp.system.prompt("Title of the book?") %>"#;

fn notes() -> Notes {
    Notes::new(&[("Templates/Book.md", TEMPLATE)])
}

#[test]
fn parameters_have_names_kinds_defaults_and_descriptions() {
    let notes = notes();
    let template = Templater::open(&notes.vault).unwrap().template("Book").unwrap();
    let found: Vec<_> = template
        .parameters
        .iter()
        .map(|parameter| {
            (
                parameter.name.as_str(),
                parameter.description.as_str(),
                parameter.required,
                parameter.default.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("title", "Title of the book?", true, None),
            ("rating", "How was it?", true, None),
            ("year", "Year", false, Some("2026")),
            ("why", "Why is it good?", false, None),
            ("computed", "", true, None),
            ("author", "Who wrote it", true, None),
            ("title_of_the_book", "Title of the book?", true, None),
        ]
    );
    let choice = Some(vec!["Good".to_owned(), "Bad".to_owned()]);
    assert_eq!(template.parameters[1].kind, ParameterKind::Choice(choice));
    assert_eq!(template.parameters[4].kind, ParameterKind::Choice(None));
}

#[test]
fn answers_are_inserted_and_defaults_apply() {
    let notes = notes();
    let mut answers = json!({
        "title": "Oil", "rating": "Bad", "computed": "b", "author": "Ana", "title_of_the_book": "Again",
    });
    let done = notes.run("Book", answers.clone(), None).unwrap();
    assert_eq!(done.content, "# Oil 2026 1 undefined 2 Ana Ana Again");
    answers["rating"] = json!("Good");
    let error = notes.run("Book", answers.clone(), None).unwrap_err();
    assert!(matches!(error, TemplateError::Argument(_)), "{error}");
    assert!(error.to_string().starts_with("Templates/Book.md:5:"), "{error}");
    assert!(error.to_string().ends_with("give the argument `why`"), "{error}");
    answers["why"] = json!(3);
    answers["year"] = json!(1999);
    let done = notes.run("Book", answers, None).unwrap();
    assert_eq!(done.content, "# Oil 1999 5 3 2 Ana Ana Again");
}

#[test]
fn wrong_arguments_are_refused_before_anything_runs() {
    let notes = notes();
    let Err(TemplateError::Missing(missing)) = notes.run("Book", json!({"title": "x"}), Some("A"))
    else {
        panic!("it runs")
    };
    let names: Vec<_> = missing.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["rating", "computed", "author", "title_of_the_book"]);
    let Err(TemplateError::Unknown { name, known }) =
        notes.run("Book", json!({"titel": "x"}), Some("A"))
    else {
        panic!("it runs")
    };
    assert_eq!((name.as_str(), known.len()), ("titel", 7));
    let answers = json!({"title": "x", "rating": "Fine", "computed": "b", "author": "y", "title_of_the_book": "z"});
    let error = notes.run("Book", answers, Some("A")).unwrap_err().to_string();
    assert!(
        error.ends_with("the argument `rating` is `Fine`; expected one of: Good, Bad"),
        "{error}"
    );
    assert_eq!(notes.text("A.md"), None);
}

#[test]
fn a_template_may_ask_for_several_items() {
    let template = "<% (await tp.system.multi_suggester(['a', 'b', 'c'], [1, 2, 3])).join('+') %>";
    let notes = Notes::new(&[("Templates/T.md", template)]);
    let done = notes.run("T", json!({"choices": ["c", "a"]}), None).unwrap();
    assert_eq!(done.content, "3+1");
}

#[test]
fn broken_templates_are_listed_with_their_problems() {
    let notes = Notes::new(&[
        ("Templates/A.md", "fine"),
        ("Templates/B.md", "line\n<% 1 +  %>"),
        ("Templates/C.md", "<% tp.user.mine() %> <% app.vault %> <% tp.system.clipboard() %>"),
    ]);
    let templates = Templater::open(&notes.vault).unwrap().templates(&|| false).unwrap();
    let problems: Vec<_> = templates
        .iter()
        .map(|template| template.problems.iter().map(ToString::to_string).collect::<Vec<_>>())
        .collect();
    assert!(problems[0].is_empty());
    assert_eq!(
        problems[1],
        ["Templates/B.md:2:9: expected an expression, found the end of the command"]
    );
    assert_eq!(problems[2].len(), 3, "{problems:?}");
    assert!(
        problems[2][0].starts_with("Templates/C.md:1:4: `tp.user` is refused: "),
        "{problems:?}"
    );
}
