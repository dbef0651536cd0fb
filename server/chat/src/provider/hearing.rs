//! An answer of a model while it comes: bytes become events.

use std::collections::VecDeque;

use super::dialect::Dialect;
use super::failure::{Failure, is_error};
use super::frames::Frames;
use super::model::Event;
use super::wire::ReadAnswer;

/// Reads the answer of a model while it comes.
pub(super) struct Hearing {
    frames: Frames,
    reader: Box<dyn ReadAnswer>,
    /// The events that were read and not yet returned. A failure is the last.
    heard: VecDeque<Result<Event, Failure>>,
    /// Whether anything came that belongs to the API.
    has_begun: bool,
    is_over: bool,
}

impl Hearing {
    pub(super) fn new(dialect: Dialect) -> Self {
        let wire = dialect.wire();
        Self {
            frames: Frames::new(wire.framing),
            reader: (wire.reader)(),
            heard: VecDeque::new(),
            has_begun: false,
            is_over: false,
        }
    }

    /// The next event of the bytes that came.
    pub(super) fn next(&mut self) -> Option<Result<Event, Failure>> {
        self.heard.pop_front()
    }

    /// Whether no more bytes are wanted.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Adds the next bytes. Bytes that complete nothing show that the model is at work.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let read = match self.frames.push(bytes) {
            Ok(pieces) => pieces.iter().try_for_each(|piece| self.read(piece)),
            Err(too_large) => Err(Failure::TooLarge(too_large.to_string())),
        };
        if let Err(failure) = read {
            self.fail(failure);
        }
        if self.heard.is_empty() {
            self.heard.push_back(Ok(Event::Alive));
        }
    }

    /// Takes the end of the answer.
    pub(super) fn finish(&mut self) {
        self.is_over = true;
        if let Some(rest) = self.frames.take_rest() {
            // It may be cut, which is no failure of its own.
            let _ = self.read(&rest);
            self.has_begun |= rest.trim_start().starts_with('{');
        }
        self.heard.extend(self.reader.finish().map(Event::End).map(Ok));
        if !self.has_begun {
            self.fail(Failure::Foreign);
        }
    }

    fn read(&mut self, piece: &str) -> Result<(), Failure> {
        // Some gateways pass on comments as data.
        if piece.starts_with(':') {
            return Ok(());
        }
        if is_error(piece) {
            return Err(Failure::Event(piece.to_owned()));
        }
        let mut heard = Vec::new();
        self.reader.read(piece, &mut heard)?;
        self.heard.extend(heard.into_iter().map(Ok));
        self.has_begun = true;
        Ok(())
    }

    fn fail(&mut self, failure: Failure) {
        self.is_over = true;
        self.heard.push_back(Err(failure));
    }
}

/// What is heard of an answer in these pieces, for the fuzzer.
#[cfg(fuzzing)]
pub fn heard(dialect: Dialect, chunks: &[&[u8]]) -> Vec<Event> {
    let mut hearing = Hearing::new(dialect);
    for chunk in chunks {
        if !hearing.is_over() {
            hearing.push(chunk);
        }
    }
    if !hearing.is_over() {
        hearing.finish();
    }
    let heard = std::iter::from_fn(|| hearing.next());
    heard.map_while(Result::ok).filter(|event| *event != Event::Alive).collect()
}
