//! Resources, prompts and their completions.

use toolwrit::{Answered, ContentBlock, Context, PromptMessages, ResourceContents, Result};

use crate::{App, IMAGE, forms, prompts, resources};

impl resources::Handlers for App {
    async fn static_text(
        &self,
        _: &Context,
        _: resources::StaticText,
    ) -> Result<resources::StaticTextResult> {
        Ok(ResourceContents::text("This is the content of the static text resource."))
    }

    async fn static_binary(
        &self,
        _: &Context,
        _: resources::StaticBinary,
    ) -> Result<resources::StaticBinaryResult> {
        Ok(ResourceContents::blob(IMAGE))
    }

    async fn template(
        &self,
        _: &Context,
        p: resources::Template,
    ) -> Result<resources::TemplateResult> {
        let data = format!("Data for ID: {}", p.id);
        let data = serde_json::json!({ "id": p.id, "templateTest": true, "data": data });
        Ok(ResourceContents::text(data.to_string()))
    }

    async fn watched(
        &self,
        _: &Context,
        _: resources::Watched,
    ) -> Result<resources::WatchedResult> {
        Ok(ResourceContents::text("What is watched."))
    }

    async fn complete_template_id(
        &self,
        _: &Context,
        p: resources::CompleteTemplateId,
    ) -> Result<resources::CompleteTemplateIdResult> {
        Ok((0..1000).map(|id| id.to_string()).filter(|id| id.starts_with(&p.value)).collect())
    }
}

impl prompts::Handlers for App {
    async fn test_prompt_with_embedded_resource(
        &self,
        _: &Context,
        p: prompts::TestPromptWithEmbeddedResource,
    ) -> Result<prompts::TestPromptWithEmbeddedResourceResult> {
        let contents = ResourceContents::text("Embedded resource content for testing.");
        let contents = contents.with_mime_type("text/plain");
        Ok(PromptMessages::new()
            .user(ContentBlock::resource(p.resource_uri, contents))
            .user(ContentBlock::text("Please process the embedded resource above.")))
    }

    async fn test_prompt_with_image(
        &self,
        _: &Context,
        _: prompts::TestPromptWithImage,
    ) -> Result<prompts::TestPromptWithImageResult> {
        Ok(PromptMessages::new()
            .user(ContentBlock::image(IMAGE, "image/png"))
            .user(ContentBlock::text("Please analyze the image above.")))
    }

    async fn test_input_required_result_prompt(
        &self,
        cx: &Context,
        _: prompts::TestInputRequiredResultPrompt,
    ) -> Result<prompts::TestInputRequiredResultPromptResult> {
        let form = forms::text("What context should the prompt use?", "context");
        let context = match cx.ask("user_context", &form).await? {
            Answered::Accepted(answer) => answer["context"].to_string(),
            Answered::Declined | Answered::Cancelled => "none".to_owned(),
        };
        let text = format!("Use this context: {context}");
        Ok(PromptMessages::new().user(ContentBlock::text(text)))
    }

    async fn complete_test_prompt_with_arguments_arg1(
        &self,
        _: &Context,
        p: prompts::CompleteTestPromptWithArgumentsArg1,
    ) -> Result<prompts::CompleteTestPromptWithArgumentsArg1Result> {
        let words = ["paris", "park", "party", "testing"].map(str::to_owned);
        Ok(words.into_iter().filter(|word| word.starts_with(&p.value)).collect())
    }
}
