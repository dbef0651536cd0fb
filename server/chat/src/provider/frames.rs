//! Cuts the answer of a model into pieces: events of a stream (WHATWG HTML, section 9.2.6), or lines. An answer without an end
//! is refused before it fills the memory.

/// Bytes of an answer, at most.
const MOST_BYTES: usize = 32 << 20;
/// Bytes of one of its pieces, at most.
const MOST_OF_PIECE: usize = 8 << 20;

/// How an answer is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events. A piece is the data of one.
    Events,
    /// A piece is a line.
    Lines,
}

/// An answer that is too large, with its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum TooLarge {
    #[error("its answer has more than {} MiB", MOST_BYTES >> 20)]
    Answer,
    #[error("an event of its answer has more than {} MiB", MOST_OF_PIECE >> 20)]
    Piece,
}

/// Cuts an answer while it comes.
pub(super) struct Frames {
    framing: Framing,
    bytes: usize,
    /// The beginning of a line.
    line: Vec<u8>,
    /// The data of an event that has not ended.
    data: Option<String>,
    /// Whether a line feed belongs to the line before.
    after_return: bool,
}

impl Frames {
    pub(super) fn new(framing: Framing) -> Self {
        Self { framing, bytes: 0, line: Vec::new(), data: None, after_return: false }
    }

    /// Adds bytes of the answer, and returns the pieces that they complete.
    ///
    /// # Errors
    /// If the answer or a piece is too large.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<String>, TooLarge> {
        self.bytes += bytes.len();
        if self.bytes > MOST_BYTES {
            return Err(TooLarge::Answer);
        }
        let mut pieces = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (start, rest) = bytes.split_at(end);
            let is_rest_of_end = self.after_return && end == 0 && rest[0] == b'\n';
            self.after_return = rest[0] == b'\r';
            bytes = &rest[1..];
            if !is_rest_of_end {
                self.extend(start)?;
                pieces.extend(self.end_line());
            }
        }
        if !bytes.is_empty() {
            self.after_return = false;
            self.extend(bytes)?;
        }
        Ok(pieces)
    }

    /// Returns what came after the last complete piece. It may be cut.
    pub(super) fn take_rest(&mut self) -> Option<String> {
        self.end_line().or_else(|| self.data.take())
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        let before = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if before + bytes.len() > MOST_OF_PIECE {
            return Err(TooLarge::Piece);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Ends the line, and returns the piece that ends with it.
    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let piece = match self.framing {
            Framing::Lines => Some(line.trim().to_owned()),
            Framing::Events if line.is_empty() => self.data.take(),
            Framing::Events => {
                self.add_field(line.trim_start_matches('\u{feff}'));
                None
            }
        };
        piece.filter(|piece| !piece.trim().is_empty())
    }

    fn add_field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        if name == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(framing: Framing, chunks: &[&[u8]]) -> Vec<String> {
        let mut frames = Frames::new(framing);
        let mut pieces: Vec<String> =
            chunks.iter().flat_map(|chunk| frames.push(chunk).unwrap()).collect();
        pieces.extend(frames.take_rest());
        pieces
    }

    #[test]
    fn events_are_read_as_the_standard_has_them() {
        let text = "\u{feff}: ping\r\n\r\nevent: a\nid\ndata: {\"a\":\ndata:1}\n\ndata\n\ndata: x\r\rdata: last";
        assert_eq!(pieces(Framing::Events, &[text.as_bytes()]), ["{\"a\":\n1}", "x", "last"]);
        assert_eq!(pieces(Framing::Lines, &[b"{}\r\n\n [1]\n2"]), ["{}", "[1]", "2"]);
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let mut frames = Frames::new(Framing::Events);
        let chunk = vec![b'x'; 1 << 20];
        let refused = (0..9).find_map(|_| frames.push(&chunk).err());
        assert_eq!(refused, Some(TooLarge::Piece));
        let mut frames = Frames::new(Framing::Events);
        let refused =
            (0..33).find_map(|_| frames.push("data: x\n\n".repeat(1 << 17).as_bytes()).err());
        assert_eq!(refused, Some(TooLarge::Answer));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_an_answer_is_cut(
            lines in prop::collection::vec("(data: ?|event:|:|)[a-zé ]{0,9}(\r\n|\n|\r)", 0..12),
            cut in 0usize..200,
        ) {
            let text = lines.concat();
            let (start, end) = text.as_bytes().split_at(cut.min(text.len()));
            for framing in [Framing::Events, Framing::Lines] {
                prop_assert_eq!(pieces(framing, &[text.as_bytes()]), pieces(framing, &[start, end]));
            }
        }
    }
}
