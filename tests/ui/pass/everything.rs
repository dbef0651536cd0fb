//! Every feature of the language, with an application behind it.

use std::collections::BTreeMap;
use std::process::ExitCode;

use toolwrit::{Content, ContentBlock, Context, Level, PromptMessages, ResourceContents, Result};

toolwrit::authority!("everything.yaml");

pub(crate) struct App;

impl toolwrit::App for App {
    type Options = ();

    async fn open(
        (): (),
        _: toolwrit::Updates,
    ) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        Ok(App)
    }
}

impl notes::Handlers for App {
    async fn read(&self, cx: &Context, p: notes::Read) -> Result<notes::ReadResult> {
        let notes::Read { path, format, max_bytes, token, fields } = p;
        let _: (types::NotePath, Option<i64>, Option<types::Secret>) = (path, max_bytes, token);
        assert_eq!(cx.operation(), "notes.read");
        assert_eq!(notes::ReadFormat::ALL[2], notes::ReadFormat::V2d);
        assert_eq!(format, notes::ReadFormat::Markdown);
        assert!(fields.is_none_or(|fields| fields.contains(&notes::ReadFields::Path)));
        Ok(meta())
    }

    async fn search(&self, _: &Context, p: notes::Search) -> Result<notes::SearchResult> {
        let _: (String, i64, Option<String>) = (p.query, p.limit, p.cursor);
        let _: Option<toolwrit::Date> = p.since;
        let _: Option<Vec<f64>> = p.weights;
        if let Some(notes::SearchOptions { deep: true, r#in: None, ranges }) = p.options {
            let _: BTreeMap<String, f64> = ranges;
        }
        Ok(vec![meta()])
    }

    async fn append(&self, _: &Context, p: notes::Append) -> Result<notes::AppendResult> {
        let _: (bool, Option<toolwrit::Nullable<toolwrit::Timestamp>>) = (p.dry_run, p.when);
        let _: Option<Vec<std::result::Result<types::NotePath, toolwrit::RefusedItem>>> = p.links;
        Ok(format!("{} to {}", p.text, p.path))
    }

    async fn delete(&self, _: &Context, p: notes::Delete) -> Result<notes::DeleteResult> {
        let _: Option<toolwrit::Json> = p.extra;
        let kept = notes::DeleteResultKept { paths: p.paths, why: None };
        Ok(notes::DeleteResult { deleted: 0, kept })
    }

    async fn picture(&self, cx: &Context, _: notes::Picture) -> Result<notes::PictureResult> {
        cx.log(Level::Notice, "a picture");
        cx.updates().resource("notes://inbox");
        let link = ContentBlock::link("notes://inbox", "inbox");
        Ok(Content::from([ContentBlock::audio([0], "audio/wav"), link]))
    }
}

impl resources::Handlers for App {
    async fn note(&self, cx: &Context, p: resources::Note) -> Result<resources::NoteResult> {
        assert_eq!(cx.operation(), "resources.note");
        let (path, format): (String, resources::NoteFormat) = (p.path, p.format);
        Ok(ResourceContents::text(path).with_mime_type(format.as_str()))
    }

    async fn inbox(&self, _: &Context, _: resources::Inbox) -> Result<ResourceContents> {
        Ok(ResourceContents::blob([0]))
    }

    async fn complete_note_path(
        &self,
        _: &Context,
        p: resources::CompleteNotePath,
    ) -> Result<resources::CompleteNotePathResult> {
        let _: BTreeMap<String, String> = p.arguments;
        Ok(vec![p.value])
    }
}

impl prompts::Handlers for App {
    async fn interview(&self, _: &Context, p: prompts::Interview) -> Result<PromptMessages> {
        let picture = ContentBlock::image([0], "image/png");
        Ok(PromptMessages::new().user(ContentBlock::text(p.note_title)).assistant(picture))
    }

    async fn complete_interview_note_title(
        &self,
        _: &Context,
        p: prompts::CompleteInterviewNoteTitle,
    ) -> Result<Vec<String>> {
        Ok(vec![p.value])
    }
}

impl r#type::Handlers for App {
    async fn r#match(&self, _: &Context, p: r#type::Match) -> Result<r#type::MatchResult> {
        let r#type::Match { r#type, r#gen, r#match } = p;
        let _: (i64, bool) = (r#gen, r#match);
        Ok(BTreeMap::from([(r#type, types::Status::InProgress)]))
    }
}

impl web::Handlers for App {
    async fn fetch(&self, _: &Context, p: web::Fetch) -> Result<String> {
        Ok(p.url)
    }
}

fn meta() -> types::NoteMeta {
    types::NoteMeta {
        path: "Inbox.md".to_owned(),
        title: "Inbox".to_owned(),
        status: Some(types::Status::Todo),
        tags: Vec::new(),
        modified: toolwrit::Timestamp::UNIX_EPOCH,
    }
}

/// What the macro left.
pub(crate) fn authority() -> &'static toolwrit::generated::Authority {
    <Tools<App> as toolwrit::generated::Tools>::compiled_authority()
}

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<App>>()
}
