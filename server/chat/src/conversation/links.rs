//! What the user's text embeds: notes are read by a tool, visibly, and images go to the model.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::ChatError;
use super::calls::Ready;
use super::prepare::{Intent, Prepared};
use super::results::Shown;
use super::turn::{Halt, Turn};
use crate::format::splice::{self, InsertionPoint};
use crate::format::{Document, Header, Kind, Link, Part, State, Status, links, write};
use crate::notebook::NotebookError;
use crate::provider::{Image, Message};

/// The most that one image may have, and the most images of a message.
const IMAGE_BYTES: usize = 5 * 1024 * 1024;
const IMAGES: usize = 8;

impl Turn<'_> {
    /// Adds calls that read what the user's new text embeds. Returns whether there are any.
    pub(super) async fn read_links(&mut self, document: &Document<'_>) -> Result<bool, Halt> {
        let calls = self.prepare_links(document).await?;
        let Some(last) = calls.last().map(|call| call.id) else { return Ok(false) };
        self.chat.record(calls.iter().filter_map(Prepared::to_entry).collect()).await?;
        self.used.unrecorded = 0;
        self.pending = calls.iter().map(|call| call.id).collect();
        let blocks: Vec<String> = calls.into_iter().map(|call| call.block).collect();
        self.insert_blocks(&blocks, last).await?;
        Ok(true)
    }

    /// The note with what the user's new text embeds, as the next request has it. Writes nothing.
    pub(super) async fn preview_links(
        &mut self,
        document: &Document<'_>,
    ) -> Result<String, ChatError> {
        let mut blocks = Vec::new();
        for call in self.prepare_links(document).await? {
            let Intent::Make(call) = call.next else { continue };
            let Some(tool) = self.recall.tools.iter().find(|tool| tool.id == call.tool).cloned()
            else {
                continue;
            };
            let (name, arguments) = (call.tool.clone(), Value::Object(call.arguments.clone()));
            let id = (self.chat.settings.new_id)();
            let (state, result) = if self.calls_to_ask_about(&tool, &call.arguments).is_empty() {
                let ready = Ready { id, tool, call, again: false, agreed: false };
                let (id, outcome, elapsed) = self.carry_out(ready).await;
                let Shown { state, result, .. } = self.show_outcome(id, outcome, elapsed);
                (state, result)
            } else {
                (State::new(Status::Asks, ""), None)
            };
            let header = Header::new(Kind::Tool, id, &name, state);
            blocks.push(write::write_call(&header, &arguments, result.as_ref()));
        }
        let text = document.text();
        let inserted = splice::insert(text, &InsertionPoint::End, &blocks);
        Ok(inserted.filter(|_| !blocks.is_empty()).map_or(text.to_owned(), |added| added.text))
    }

    /// Calls that read what the user's new text embeds.
    async fn prepare_links(
        &mut self,
        document: &Document<'_>,
    ) -> Result<Vec<Prepared>, NotebookError> {
        let Some(read) = self.chat.settings.embeds.clone() else { return Ok(Vec::new()) };
        let tool = self.recall.tools.iter().find(|tool| tool.id == read.tool).cloned();
        let (Some(tool), Some(Part::Text(text)), None) =
            (tool, document.parts().last(), self.anchor)
        else {
            return Ok(Vec::new());
        };
        let mut targets: Vec<String> = Vec::new();
        for link in links(&text.visible(document)) {
            let wanted = (link.embed || self.chat.settings.links)
                && media_type_from_name(&link.target).is_none();
            if wanted && !targets.contains(&link.target) {
                targets.push(link.target);
            }
        }
        let most = usize::try_from(self.limits.calls).unwrap_or(usize::MAX);
        let mut calls = Vec::new();
        for target in targets.into_iter().take(most) {
            let known = self.chat.page.link_arguments(target.clone()).await?;
            let named = || Map::from_iter([(read.parameter.clone(), Value::from(target))]);
            calls.push(self.prepare_call(&tool, known.unwrap_or_else(named)));
            self.used.calls += 1;
        }
        Ok(calls)
    }

    /// Adds the images that the user's last message embeds, if links are read.
    pub(super) async fn attach_images(
        &self,
        messages: &mut [Message],
    ) -> Result<(), NotebookError> {
        let last = messages.iter_mut().rev().find_map(|message| match message {
            Message::User { text, images } => Some((text, images)),
            _ => None,
        });
        let Some((text, images)) = last.filter(|_| self.chat.settings.links) else { return Ok(()) };
        let targets: Vec<String> = embedded_images(text).map(|link| link.target).collect();
        for target in targets.into_iter().take(IMAGES) {
            let Some(bytes) = self.chat.page.read_attachment(target.clone(), IMAGE_BYTES).await?
            else {
                continue;
            };
            let Some(media_type) = media_type_from_bytes(&bytes) else {
                return Err(NotebookError::Failed(format!(
                    "{target} is not an image of the types PNG, JPEG, GIF and WebP. Remove the embed."
                )));
            };
            images.push(Image { media_type: media_type.to_owned(), bytes: Arc::from(bytes) });
        }
        Ok(())
    }
}

/// Whether the user's text embeds an image. An earlier turn may have shown it to the model, also if this one does not.
pub(super) fn embeds_image(messages: &[Message]) -> bool {
    messages.iter().any(
        |message| matches!(message, Message::User { text, .. } if embedded_images(text).next().is_some()),
    )
}

/// The images that a text embeds.
fn embedded_images(text: &str) -> impl Iterator<Item = Link> {
    links(text)
        .into_iter()
        .filter(|link| link.embed && media_type_from_name(&link.target).is_some())
}

/// The type that the name of an image promises.
fn media_type_from_name(target: &str) -> Option<&'static str> {
    let (_, extension) = target.rsplit_once('.')?;
    match extension.to_ascii_lowercase().as_str() {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "gif" => Some("image/gif"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

/// The type of an image, by its first bytes.
fn media_type_from_bytes(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
