//! Questions to the user, which are data of the upstream.

use rmcp::model::{ElicitRequestParams, InputRequest, InputRequiredResult};

use crate::caller::{Asked, Question};
use crate::failure::{Failure, Result};
use crate::written::to_json;
use toolwrit_text::visible::{escaped, escaped_value};

/// Questions of one call at a time.
const MAX_QUESTIONS: usize = 10;
/// Size limit of a question, and of the state that goes with questions, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Returns the form that an upstream asks; `None` if it is no form, or too large.
pub(crate) fn question(params: ElicitRequestParams) -> Option<Question> {
    let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = params
    else {
        return None;
    };
    let schema = to_json(&requested_schema);
    let size = message.len() + schema.to_string().len();
    let schema = escaped_value(schema);
    (size <= MAX_BYTES).then(|| Question { message: escaped(message), schema })
}

/// Returns the questions with which a call of a tool ends.
///
/// # Errors
/// `UPSTREAM_ERROR` if they are not forms for the user.
pub(crate) fn asked(result: InputRequiredResult, what: &str) -> Result<Asked> {
    let refused = |why: &str| Failure::upstream(format!("{what} {why}."));
    let requests = result.input_requests.unwrap_or_default();
    let state = result.request_state;
    let is_large = state.as_ref().is_some_and(|state| state.len() > MAX_BYTES);
    if requests.len() > MAX_QUESTIONS || is_large {
        return Err(refused("asks for more than can be passed on"));
    }
    let questions = requests.into_iter().map(|(key, request)| match request {
        InputRequest::Elicitation(request) => match question(request.params) {
            Some(question) => Ok((key, question)),
            None => Err(refused("asks the user for something other than a form")),
        },
        InputRequest::CreateMessage(_) => {
            Err(refused("asks the client's model, which is not offered to it"))
        }
        _ => Err(refused("asks for the user's folders, which are not offered to it")),
    });
    Ok(Asked { questions: questions.collect::<Result<_>>()?, state })
}
