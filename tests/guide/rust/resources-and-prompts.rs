//! The Rust of the page `resources-and-prompts`.

use toolwrit::{
    Content, ContentBlock, Context, Fault, Opened, PromptMessages, ResourceContents, Result,
    Updates,
};

toolwrit::authority!("resources.yaml");

struct App;

impl App {
    fn read(&self, path: &str) -> Result<String> {
        Err(Fault::not_found(format!("There is no note `{path}`.")))
    }

    fn png(&self, _: i64) -> Vec<u8> {
        Vec::new()
    }

    fn paths_that_begin_with(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

impl toolwrit::App for App {
    type Options = ();

    async fn open((): (), _: Updates) -> Opened<Self> {
        Ok(Self)
    }
}

impl resources::Handlers for App {
    async fn note(&self, _: &Context, p: resources::Note) -> Result<ResourceContents> {
        Ok(ResourceContents::text(self.read(&p.path)?))
    }

    async fn inbox(&self, cx: &Context, _: resources::Inbox) -> Result<ResourceContents> {
        cx.updates().resource("vault://inbox");
        Err(Fault::not_found("There is no inbox."))
    }

    async fn complete_note_path(
        &self,
        _: &Context,
        p: resources::CompleteNotePath,
    ) -> Result<Vec<String>> {
        Ok(self.paths_that_begin_with(&p.value))
    }
}

impl prompts::Handlers for App {
    async fn interview(&self, _: &Context, p: prompts::Interview) -> Result<PromptMessages> {
        let note = ResourceContents::text(self.read(&p.note)?).with_mime_type("text/markdown");
        Ok(PromptMessages::new()
            .user(ContentBlock::resource(format!("vault://notes/{}", p.note), note))
            .user(ContentBlock::text("Ask me about this note, one question at a time.")))
    }

    async fn complete_interview_note(
        &self,
        _: &Context,
        p: prompts::CompleteInterviewNote,
    ) -> Result<Vec<String>> {
        Ok(self.paths_that_begin_with(&p.value))
    }
}

impl stats::Handlers for App {
    async fn chart(&self, _: &Context, p: stats::Chart) -> Result<Content> {
        Ok(Content::from([
            ContentBlock::text(format!("The last {} days:", p.days)),
            ContentBlock::image(self.png(p.days), "image/png"),
            ContentBlock::link("vault://inbox", "inbox"),
        ]))
    }
}
