//! `gutenberg.*`: single blocks of a post. A text is read, edited, and written back if it has not changed meanwhile.

use serde_json::{Map, Value};
use toolwrit::{Context, Fault, Result};
use toolwrit_text::to_sentence;
use toolwrit_wordpress::blocks::{Block, BlockError, BlockPath, Document};

use super::to_integer;
use crate::app::Site;
use crate::operations::{gutenberg, types};

/// How much of the text of a block a list shows, in characters.
const EXCERPT: usize = 80;
/// The parameter that says which block is meant.
const PATH: &str = "/path";

impl gutenberg::Handlers for Site {
    async fn list_blocks(
        &self,
        cx: &Context,
        p: gutenberg::ListBlocks,
    ) -> Result<gutenberg::ListBlocksResult> {
        let post = Post::read(cx, p.r#in, p.id).await?;
        let depth = p.depth.and_then(|depth| usize::try_from(depth).ok()).unwrap_or(usize::MAX);
        let shown = post.text.walk().filter(|(path, _)| path.parents().len() < depth);
        let blocks = shown.map(|(path, block)| types::BlockEntry {
            path: to_positions(&path),
            name: block.name().to_owned(),
            text: Some(block.excerpt(EXCERPT)).filter(|text| !text.is_empty()),
            attributes: attributes_if_any(block),
        });
        Ok(types::Blocks { id: p.id, blocks: blocks.collect(), modified: post.modified })
    }

    async fn get_block(
        &self,
        cx: &Context,
        p: gutenberg::GetBlock,
    ) -> Result<gutenberg::GetBlockResult> {
        let post = Post::read(cx, p.r#in, p.id).await?;
        let path = parse_block_path(&p.path, PATH)?;
        let block = post.text.block(&path).map_err(|error| fault(&error, PATH))?;
        Ok(types::BlockDetail {
            id: p.id,
            path: to_positions(&path),
            name: block.name().to_owned(),
            attributes: attributes_if_any(block),
            inner: to_integer(block.children().len()),
            markup: block.markup().to_owned(),
            modified: post.modified,
        })
    }

    async fn insert_block(
        &self,
        cx: &Context,
        p: gutenberg::InsertBlock,
    ) -> Result<gutenberg::InsertBlockResult> {
        let edit = Edit { holder: p.r#in, id: p.id, path: &p.path, if_match: p.if_match };
        edit.carry_out(cx, Some(&p.path), |text, path| text.insert(path, &p.markup)).await
    }

    async fn replace_block(
        &self,
        cx: &Context,
        p: gutenberg::ReplaceBlock,
    ) -> Result<gutenberg::ReplaceBlockResult> {
        let edit = Edit { holder: p.r#in, id: p.id, path: &p.path, if_match: p.if_match };
        edit.carry_out(cx, Some(&p.path), |text, path| text.replace(path, &p.markup)).await
    }

    async fn move_block(
        &self,
        cx: &Context,
        p: gutenberg::MoveBlock,
    ) -> Result<gutenberg::MoveBlockResult> {
        let to = parse_block_path(&p.to, "/to")?;
        let edit = Edit { holder: p.r#in, id: p.id, path: &p.path, if_match: p.if_match };
        edit.carry_out(cx, Some(&p.to), |text, path| text.r#move(path, &to)).await
    }

    async fn remove_block(
        &self,
        cx: &Context,
        p: gutenberg::RemoveBlock,
    ) -> Result<gutenberg::RemoveBlockResult> {
        let edit = Edit { holder: p.r#in, id: p.id, path: &p.path, if_match: p.if_match };
        edit.carry_out(cx, None, Document::remove).await
    }

    async fn update_block(
        &self,
        cx: &Context,
        p: gutenberg::UpdateBlock,
    ) -> Result<gutenberg::UpdateBlockResult> {
        let Value::Object(changes) = p.attributes else {
            return Err(Fault::validation("The attributes are not an object.")
                .with_path("/attributes")
                .expecting("names and new values"));
        };
        let edit = Edit { holder: p.r#in, id: p.id, path: &p.path, if_match: p.if_match };
        edit.carry_out(cx, Some(&p.path), |text, path| text.set_attributes(path, &changes)).await
    }
}

/// A text with blocks, as stored.
struct Post {
    text: Document,
    modified: Option<String>,
}

impl Post {
    async fn read(cx: &Context, holder: types::Holder, id: i64) -> Result<Self> {
        let arguments = Map::from_iter([("id".to_owned(), id.into())]);
        let read = cx.call_bound(text_operations(holder).0, arguments).await?;
        let text = |name: &str| read[name].as_str().map(str::to_owned);
        let content = text("content").unwrap_or_default();
        Ok(Self { text: Document::parse(content), modified: text("modified") })
    }
}

/// An edit of one block.
struct Edit<'p> {
    holder: types::Holder,
    id: i64,
    path: &'p [u32],
    if_match: Option<String>,
}

impl Edit<'_> {
    /// `after` is the path that the block has afterwards.
    async fn carry_out(
        self,
        cx: &Context,
        after: Option<&[u32]>,
        edit: impl FnOnce(&Document, &BlockPath) -> std::result::Result<Document, BlockError> + Send,
    ) -> Result<types::BlocksWritten> {
        let path = parse_block_path(self.path, PATH)?;
        let post = Post::read(cx, self.holder, self.id).await?;
        if self.if_match.is_some() && self.if_match != post.modified {
            return Err(changed_since_read(post.modified.as_deref()));
        }
        let parameter = if after == Some(self.path) { PATH } else { "/to" };
        let text = edit(&post.text, &path).map_err(|error| fault(&error, parameter))?;
        let mut arguments = Map::from_iter([
            ("id".to_owned(), Value::from(self.id)),
            ("content".to_owned(), text.as_str().into()),
        ]);
        arguments.extend(post.modified.map(|stamp| ("if_match".to_owned(), stamp.into())));
        let written = cx.call_bound(text_operations(self.holder).1, arguments).await?;
        Ok(types::BlocksWritten {
            id: self.id,
            modified: written["modified"].as_str().map(str::to_owned),
            path: after.map(|path| path.iter().copied().map(i64::from).collect()),
            blocks: to_integer(text.walk().count()),
        })
    }
}

/// The operations that read and change a text.
fn text_operations(holder: types::Holder) -> (&'static str, &'static str) {
    match holder {
        types::Holder::Post => ("content.get_post", "content.update_post"),
        types::Holder::Page => ("content.get_page", "content.update_page"),
        types::Holder::Block => ("gutenberg.get_saved_block", "gutenberg.update_saved_block"),
    }
}

fn parse_block_path(positions: &[u32], at: &str) -> Result<BlockPath> {
    let positions: Vec<usize> =
        positions.iter().map(|&position| usize::try_from(position).unwrap_or(usize::MAX)).collect();
    BlockPath::new(&positions).ok_or_else(|| Fault::validation("The path is empty.").with_path(at))
}

fn to_positions(path: &BlockPath) -> Vec<i64> {
    path.parents().iter().copied().chain([path.last()]).map(to_integer).collect()
}

/// The attributes of a block, unless it has none.
fn attributes_if_any(block: Block<'_>) -> Option<Value> {
    block.attributes().filter(|attributes| !attributes.is_empty()).map(Value::Object)
}

fn changed_since_read(current: Option<&str>) -> Fault {
    let fault = Fault::conflict("The text has changed since it was read.").with_path("/if_match");
    let fault = fault.hinting("List its blocks again, and repeat the edit with the new stamp.");
    match current {
        Some(current) => fault.expecting(current),
        None => fault,
    }
}

/// Gives an error its code and a hint. `parameter` is the one that says where blocks are put.
fn fault(error: &BlockError, parameter: &str) -> Fault {
    let message = to_sentence(&error.to_string());
    let list = "gutenberg.list_blocks shows the blocks with their paths.";
    match error {
        BlockError::NoBlock { .. } => Fault::not_found(message).with_path(PATH).hinting(list),
        BlockError::NoPosition { .. } => Fault::validation(message).with_path(parameter).hinting(list),
        BlockError::NotContainer { .. } => Fault::validation(message).with_path(parameter).hinting(
            "Insert beside it, or use gutenberg.replace_block with markup that holds both blocks.",
        ),
        BlockError::NotBlocks => Fault::validation(message)
            .with_path("/markup")
            .expecting("<!-- wp:NAME {attributes} -->HTML<!-- /wp:NAME -->, or <!-- wp:NAME /-->"),
        BlockError::Freeform(_) | BlockError::Attributes(_) => Fault::validation(message)
            .with_path(PATH)
            .hinting("Use gutenberg.replace_block to give it delimiters with attributes."),
        BlockError::Entangled(_) => Fault::conflict(message)
            .hinting("Its text has an unfinished delimiter. Write the whole text again."),
        BlockError::Unclosed { .. } | BlockError::Unopened { .. } => Fault::validation(message)
            .hinting("Each block needs a beginning and an end. A broken text must be written again as a whole."),
    }
}
