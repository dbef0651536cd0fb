//! Messages of MCP as lines, over the standard streams of a program. A line that is no message is ignored. An answer
//! that is too large or cannot be read becomes an error, so that its call fails at once.

use std::io;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;

use super::answer::read;
use super::delivery;
use crate::own_errors::TOO_LARGE;
use crate::whole::WholeList;

/// Size limit of a message, in bytes. JSON may need more bytes in a line than a result has.
pub(super) const MAX_LINE: usize = 16 * 1024 * 1024;
/// Bytes at the begin and at the end of a line that is too long, one of which has the id.
const KEPT: usize = 1024;

/// The standard streams of a program.
pub(super) struct Lines<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// Whether the line is too long, so that only its ends are kept.
    too_long: bool,
    output: Arc<Mutex<Option<W>>>,
    whole: WholeList,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub(super) fn new(input: R, output: W, whole: WholeList) -> Self {
        let output = Arc::new(Mutex::new(Some(output)));
        Self { input: BufReader::new(input), line: Vec::new(), too_long: false, output, whole }
    }

    /// Reads until the end of a line. Returns `None` at the end of the stream. What was read stays if this is
    /// dropped before.
    async fn complete_line(&mut self) -> Option<()> {
        loop {
            let available = self.input.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let end = available.iter().position(|byte| *byte == b'\n');
            let length = end.unwrap_or(available.len());
            self.line.extend_from_slice(&available[..length]);
            self.input.consume(end.map_or(length, |end| end + 1));
            self.too_long |= self.line.len() > MAX_LINE;
            let excess = self.line.len().saturating_sub(2 * KEPT);
            if self.too_long && excess > 0 {
                self.line.drain(KEPT..KEPT + excess);
            }
            if end.is_some() {
                return Some(());
            }
        }
    }

    /// The message of a complete line.
    fn message(&self) -> Option<RxJsonRpcMessage<RoleClient>> {
        if !self.too_long {
            let message = read(&self.line)?;
            self.whole.heard(&self.line);
            return Some(message);
        }
        let id = id_at_start(&self.line).or_else(|| id_at_end(&self.line))?;
        let error = ErrorData::new(TOO_LARGE, "the answer is too large", None);
        Some(JsonRpcMessage::error(error, Some(RequestId::Number(id))))
    }
}

/// The id of a message that begins with it: `{"jsonrpc":"2.0","id":5,..`.
fn id_at_start(line: &[u8]) -> Option<i64> {
    let rest = line.trim_ascii_start().strip_prefix(b"{")?;
    let after = |rest: &[u8], token: &[u8]| {
        Some(rest.trim_ascii_start().strip_prefix(token)?.trim_ascii_start().to_vec())
    };
    let version = || {
        let rest = after(rest, b"\"jsonrpc\"")?;
        after(&after(&after(&rest, b":")?, b"\"2.0\"")?, b",")
    };
    let rest = version().unwrap_or_else(|| rest.to_vec());
    let rest = after(&after(&rest, b"\"id\"")?, b":")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    rest[digits..].trim_ascii_start().starts_with(b",").then(|| number(&rest[..digits]))?
}

/// The id of a message that ends with it: `..,"id":5}`. The last brace is the one of the message, so that the field
/// before it is one of the message, too.
fn id_at_end(line: &[u8]) -> Option<i64> {
    let rest = line.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end();
    let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, digits) = rest.split_at(rest.len() - digits);
    let rest = rest.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let rest = rest.strip_suffix(b"\"id\"")?.trim_ascii_end();
    rest.ends_with(b",").then(|| number(digits))?
}

fn number(digits: &[u8]) -> Option<i64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        let receipt = delivery::receipt(&message);
        self.whole.sent(&message);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            output.write_all(&line).await?;
            if let Some(receipt) = receipt {
                receipt.sign();
            }
            output.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            self.complete_line().await?;
            let message = self.message();
            self.line.clear();
            self.too_long = false;
            if message.is_some() {
                return message;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A write that does not end must not hold up the end.
        if let Ok(mut output) = self.output.try_lock() {
            *output = None;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{id_at_end, id_at_start};

    #[test]
    fn ids_stand_at_the_begin_or_at_the_end() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":5,"result":"#, Some(5)),
            (r#" { "jsonrpc" : "2.0" , "id" : 12 , "result""#, Some(12)),
            (r#"{"id":7,"result""#, Some(7)),
            (r#"{"result":{"id":7,"#, None),
            (r#"{"id":"7","#, None),
            (r#"{"id":7x,"#, None),
            (r#"{"id":99999999999999999999,"#, None),
            ("", None),
        ] {
            assert_eq!(id_at_start(line.as_bytes()), id, "{line}");
        }
        for (line, id) in [
            (r#"..}],"jsonrpc":"2.0","id":5}"#, Some(5)),
            (r#"..}],"id" : 5 } "#, Some(5)),
            (r#"..{"x":1,"id":5}}"#, None),
            (r#"..\"id\":5}""#, None),
            (r#"..,"id":"5"}"#, None),
            ("}", None),
        ] {
            assert_eq!(id_at_end(line.as_bytes()), id, "{line}");
        }
    }
}
