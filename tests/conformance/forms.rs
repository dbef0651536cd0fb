//! The forms that the user is asked to fill in.

use toolwrit::{Form, Input};

pub(crate) fn account(message: String) -> Form {
    let field = |description| Input::text().description(description);
    Form::new(message)
        .input("username", field("User's response"))
        .input("email", field("User's email address"))
}

/// One prefilled input of each simple type (SEP-1034).
pub(crate) fn defaults() -> Form {
    Form::new("Please check what is filled in.")
        .input("name", Input::text().default("John Doe"))
        .input("age", Input::integer().default(30))
        .input("score", Input::number().default(95.5))
        .input("status", Input::one_of(&["active", "inactive", "pending"]).default("active"))
        .input("verified", Input::boolean().default(true))
}

/// Every notation of a choice (SEP-1330).
pub(crate) fn choices() -> Form {
    let options = ["option1", "option2", "option3"];
    let values = [("value1", "First"), ("value2", "Second"), ("value3", "Third")];
    let titles: Vec<&str> = vec!["Option One", "Option Two", "Option Three"];
    let legacy = Input::one_of(&["opt1", "opt2", "opt3"]).keyword("enumNames", titles);
    Form::new("Please choose.")
        .input("untitledSingle", Input::one_of(&options))
        .input("titledSingle", Input::one_of_titled(&values))
        .input("legacyEnum", legacy)
        .input("untitledMulti", Input::any_of(&options))
        .input("titledMulti", Input::any_of_titled(&values))
}

pub(crate) fn name() -> Form {
    text("What is your name?", "name")
}

pub(crate) fn text(message: &str, input: &str) -> Form {
    Form::new(message).input(input, Input::text())
}

pub(crate) fn confirmation() -> Form {
    Form::new("Please confirm").input("ok", Input::boolean())
}
