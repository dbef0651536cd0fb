//! The calls of an answer, which come whole or in pieces.

use serde::Deserialize;
use serde_json::{Map, Number, Value};

use crate::provider::failure::Failure;
use crate::provider::model::WantedCall;

/// Calls of an answer, at most.
const MOST_CALLS: usize = 1_000;
/// Bytes of all their arguments, at most.
const MOST_BYTES: usize = 8 << 20;

/// The calls of an answer. A call is known by its id: another id is another call, whatever its number.
#[derive(Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    bytes: usize,
}

/// A call, and what the provider wants back with it.
#[derive(Debug, Default)]
struct Call {
    index: Option<Number>,
    id: Option<String>,
    name: String,
    arguments: String,
    nesting: Nesting,
    extra: Option<Value>,
}

/// Where the text of arguments stands: whether their object has ended.
#[derive(Debug, Default)]
struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

#[derive(Debug, Default)]
pub(super) struct Piece {
    /// The number of the call in the answer. It is a name: servers begin with any, and count as they like.
    pub(super) index: Option<Number>,
    pub(super) id: Option<Id>,
    /// The name of its tool.
    pub(super) name: Option<String>,
    /// A part of its arguments, or all of them.
    pub(super) arguments: Option<Arguments>,
    /// What the provider wants back with the call.
    pub(super) extra: Option<Value>,
}

/// The id of a call. Some servers write a number.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Id {
    Text(String),
    Number(Number),
}

/// Arguments as providers write them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Arguments {
    /// JSON text, or a part of it.
    Text(String),
    /// The whole arguments.
    Whole(Map<String, Value>),
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Adds a piece to the call that it continues, or begins one.
    ///
    /// # Errors
    /// If the calls are too many, or too large.
    pub(super) fn add(&mut self, piece: Piece) -> Result<(), Failure> {
        let id = piece.id.map(Id::into_text).filter(|id| !id.is_empty());
        let name = piece.name.filter(|name| !name.is_empty());
        let (text, is_whole) = match piece.arguments {
            Some(Arguments::Text(text)) => (text, false),
            Some(Arguments::Whole(arguments)) => (Value::Object(arguments).to_string(), true),
            None => (String::new(), false),
        };
        self.bytes += text.len();
        if self.bytes > MOST_BYTES {
            return Err(Failure::TooLarge(format!(
                "the arguments of its calls have more than {} MiB",
                MOST_BYTES >> 20
            )));
        }
        let begins = !text.trim().is_empty() && name.is_some();
        let at = self
            .find_continued(piece.index.as_ref(), id.as_deref(), begins)
            // What has no tool belongs to the last call, whatever its id and its number.
            .or_else(|| self.find_unfinished().filter(|_| name.is_none()));
        let call = match at {
            Some(at) => &mut self.calls[at],
            // Nothing to continue, and no tool to call.
            None if name.is_none() => return Ok(()),
            None if self.calls.len() == MOST_CALLS => {
                return Err(Failure::TooLarge(format!("it wants more than {MOST_CALLS} calls")));
            }
            None => {
                self.calls.push(Call { index: piece.index, ..Call::default() });
                let last = self.calls.len() - 1;
                &mut self.calls[last]
            }
        };
        call.id = call.id.take().or(id);
        if call.name.is_empty() {
            call.name = name.unwrap_or_default();
        }
        call.extra = piece.extra.or_else(|| call.extra.take());
        // Some servers repeat a whole call at the end.
        if is_whole || call.is_complete() && call.arguments == text {
            call.clear();
        }
        call.extend(&text);
        Ok(())
    }

    /// Sets all arguments of a call, whatever came of them before.
    ///
    /// # Errors
    /// If the calls are too many, or too large.
    pub(super) fn complete(&mut self, piece: Piece) -> Result<(), Failure> {
        let Some(Id::Text(id)) = &piece.id else { return self.add(piece) };
        let known = self.calls.iter_mut().find(|call| call.id.as_ref() == Some(id));
        if let Some(call) = known {
            self.bytes -= call.arguments.len();
            call.clear();
        }
        self.add(piece)
    }

    /// The position of the call that a piece continues. `begins` says that it has a name and arguments, as the first piece of a
    /// call has.
    fn find_continued(
        &self,
        index: Option<&Number>,
        id: Option<&str>,
        begins: bool,
    ) -> Option<usize> {
        let last = |found: &dyn Fn(&Call) -> bool| self.calls.iter().rposition(found);
        let has_index = |call: &Call| call.index.as_ref() == index;
        let may_have_index =
            |call: &Call| index.is_none() || call.index.is_none() || has_index(call);
        let Some(id) = id else {
            let last =
                if index.is_some() { last(&has_index) } else { self.calls.len().checked_sub(1) };
            // A whole call after a whole call is another one.
            return last.filter(|at| !begins || !self.calls[*at].is_complete());
        };
        last(&|call| call.id.as_deref() == Some(id) && may_have_index(call)).or_else(|| {
            // The id of a call may come after its beginning.
            let waits = |call: &Call| call.id.is_none() && index.is_some() && has_index(call);
            last(&|call| waits(call) && !call.is_complete())
        })
    }

    /// The position of the last call, if its arguments have not ended.
    fn find_unfinished(&self) -> Option<usize> {
        let last = self.calls.last().filter(|call| !call.is_complete());
        last.map(|_| self.calls.len() - 1)
    }

    /// The calls, and what the provider wants back with each.
    pub(super) fn end(self) -> (Vec<WantedCall>, Vec<Option<Value>>) {
        let wanted = |call: Call| {
            let arguments = arguments(call.arguments);
            (WantedCall { name: call.name, arguments }, call.extra)
        };
        self.calls.into_iter().map(wanted).unzip()
    }
}

impl Id {
    fn into_text(self) -> String {
        match self {
            Self::Text(id) => id,
            Self::Number(id) => id.to_string(),
        }
    }
}

impl Call {
    fn clear(&mut self) {
        self.arguments.clear();
        self.nesting = Nesting::default();
    }

    fn extend(&mut self, text: &str) {
        self.arguments.push_str(text);
        text.bytes().for_each(|byte| self.nesting.advance(byte));
    }

    /// Whether the object of the arguments has ended.
    fn is_complete(&self) -> bool {
        self.nesting.depth == 0 && self.arguments.trim_end().ends_with('}')
    }
}

impl Nesting {
    fn advance(&mut self, byte: u8) {
        let escaped = std::mem::take(&mut self.escaped);
        match byte {
            _ if escaped => {}
            b'\\' => self.escaped = self.in_string,
            b'"' => self.in_string = !self.in_string,
            b'{' | b'[' if !self.in_string => self.depth += 1,
            b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// The arguments of a call: an object, or the text if it is none. A call without parameters may come with empty text, and some
/// models write the object as a text of JSON.
fn arguments(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(&text) {
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(object @ Value::Object(_)) => object,
            _ => Value::String(text),
        },
        Ok(Value::Null) => Value::Object(Map::new()),
        Ok(value) => value,
        Err(_) => Value::String(text),
    }
}
