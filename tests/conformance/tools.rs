//! The operations for the scenarios.

use std::time::Duration;

use serde_json::json;
use toolwrit::{
    Answered, Content, ContentBlock, Context, Fault, Form, Level, Question, ResourceContents,
    Result, Roots, Sampling,
};

use crate::{App, IMAGE, RECORDING, forms, test};

/// Pauses between two messages, so that a client sees them arrive separately.
async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

fn resource(uri: &str, mime_type: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(uri, ResourceContents::text(text).with_mime_type(mime_type))
}

/// Shows a form and returns how it was answered.
async fn answer(cx: &Context, form: &Form) -> Result<String> {
    Ok(match cx.ask("form", form).await? {
        Answered::Accepted(content) => format!("action=accept, content={}", json!(content)),
        Answered::Declined => "action=decline".to_owned(),
        Answered::Cancelled => "action=cancel".to_owned(),
    })
}

impl test::Handlers for App {
    async fn simple_text(&self, _: &Context, _: test::SimpleText) -> Result<String> {
        Ok("This is a simple text response for testing.".to_owned())
    }

    async fn image_content(&self, _: &Context, _: test::ImageContent) -> Result<Content> {
        Ok(ContentBlock::image(IMAGE, "image/png").into())
    }

    async fn audio_content(&self, _: &Context, _: test::AudioContent) -> Result<Content> {
        Ok(ContentBlock::audio(RECORDING, "audio/wav").into())
    }

    async fn embedded_resource(&self, _: &Context, _: test::EmbeddedResource) -> Result<Content> {
        let text = "This is an embedded resource content.";
        Ok(resource("test://embedded-resource", "text/plain", text).into())
    }

    async fn multiple_content_types(
        &self,
        _: &Context,
        _: test::MultipleContentTypes,
    ) -> Result<Content> {
        let data = json!({ "test": "data", "value": 123 }).to_string();
        Ok(Content::from([
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(IMAGE, "image/png"),
            resource("test://mixed-content-resource", "application/json", &data),
        ]))
    }

    async fn tool_with_logging(&self, cx: &Context, _: test::ToolWithLogging) -> Result<String> {
        cx.log(Level::Info, "Tool execution started");
        pause().await;
        cx.log(Level::Info, "Tool processing data");
        pause().await;
        cx.log(Level::Info, "Tool execution completed");
        Ok("Sent three log messages.".to_owned())
    }

    async fn logging_tool(&self, cx: &Context, _: test::LoggingTool) -> Result<String> {
        cx.log(Level::Info, "A message that nobody has to want.");
        Ok("Sent a log message, if any is wanted.".to_owned())
    }

    async fn error_handling(&self, _: &Context, _: test::ErrorHandling) -> Result<String> {
        Err(Fault::upstream("This tool intentionally returns an error for testing"))
    }

    async fn tool_with_progress(&self, cx: &Context, _: test::ToolWithProgress) -> Result<String> {
        for done in [0.0, 50.0, 100.0] {
            cx.progress(done, Some(100.0), None);
            pause().await;
        }
        Ok("Reported progress three times.".to_owned())
    }

    async fn touch_watched_resource(
        &self,
        cx: &Context,
        _: test::TouchWatchedResource,
    ) -> Result<String> {
        cx.updates().resource("test://watched-resource");
        Ok("Told whoever wants to know.".to_owned())
    }

    async fn sampling(&self, cx: &Context, p: test::Sampling) -> Result<String> {
        let sampled = cx.ask("prompt", &Sampling::new(p.prompt, 100)).await?;
        Ok(format!("LLM response: {}", sampled.text))
    }

    async fn missing_capability(&self, cx: &Context, _: test::MissingCapability) -> Result<String> {
        Ok(cx.ask("anything", &Sampling::new("Say anything.", 10)).await?.text)
    }

    async fn elicitation(&self, cx: &Context, p: test::Elicitation) -> Result<String> {
        let answer = answer(cx, &forms::account(p.message)).await?;
        Ok(format!("User response: {answer}"))
    }

    async fn streaming_elicitation(
        &self,
        cx: &Context,
        _: test::StreamingElicitation,
    ) -> Result<String> {
        cx.progress(1.0, Some(2.0), Some("about to ask"));
        answer(cx, &forms::name()).await
    }

    async fn elicitation_sep1034_defaults(
        &self,
        cx: &Context,
        _: test::ElicitationSep1034Defaults,
    ) -> Result<String> {
        Ok(format!("Elicitation completed: {}", answer(cx, &forms::defaults()).await?))
    }

    async fn elicitation_sep1330_enums(
        &self,
        cx: &Context,
        _: test::ElicitationSep1330Enums,
    ) -> Result<String> {
        Ok(format!("Elicitation completed: {}", answer(cx, &forms::choices()).await?))
    }

    async fn input_required_result_elicitation(
        &self,
        cx: &Context,
        _: test::InputRequiredResultElicitation,
    ) -> Result<String> {
        Ok(match cx.ask("user_name", &forms::name()).await? {
            Answered::Accepted(answer) => {
                format!("Hello, {}!", answer["name"].as_str().unwrap_or_default())
            }
            Answered::Declined | Answered::Cancelled => "Hello, whoever you are!".to_owned(),
        })
    }

    async fn input_required_result_sampling(
        &self,
        cx: &Context,
        _: test::InputRequiredResultSampling,
    ) -> Result<String> {
        let question = Sampling::new("What is the capital of France?", 100);
        Ok(cx.ask("capital_question", &question).await?.text)
    }

    async fn input_required_result_list_roots(
        &self,
        cx: &Context,
        _: test::InputRequiredResultListRoots,
    ) -> Result<String> {
        let roots = cx.ask("client_roots", &Roots).await?;
        let uris: Vec<String> = roots.into_iter().map(|root| root.uri).collect();
        Ok(format!("Roots: {}", uris.join(", ")))
    }

    async fn input_required_result_request_state(
        &self,
        cx: &Context,
        _: test::InputRequiredResultRequestState,
    ) -> Result<String> {
        cx.ask("confirm", &forms::confirmation()).await?;
        // The engine refuses answers whose state it did not seal.
        Ok("state-ok".to_owned())
    }

    async fn input_required_result_tampered_state(
        &self,
        cx: &Context,
        _: test::InputRequiredResultTamperedState,
    ) -> Result<String> {
        cx.ask("confirm", &forms::confirmation()).await?;
        Ok("state-ok".to_owned())
    }

    async fn input_required_result_multiple_inputs(
        &self,
        cx: &Context,
        _: test::InputRequiredResultMultipleInputs,
    ) -> Result<String> {
        let (name, greeting) = (forms::name(), Sampling::new("Generate a greeting", 50));
        cx.ask_together([
            ("user_name", name.clone().into()),
            ("greeting", greeting.clone().into()),
            ("client_roots", Roots.into()),
        ])
        .await?;
        cx.ask("user_name", &name).await?;
        let greeting = cx.ask("greeting", &greeting).await?.text;
        let roots = cx.ask("client_roots", &Roots).await?.len();
        Ok(format!("{greeting} ({roots} roots)"))
    }

    async fn input_required_result_multi_round(
        &self,
        cx: &Context,
        _: test::InputRequiredResultMultiRound,
    ) -> Result<String> {
        cx.ask("step1", &forms::text("Step 1: What is your name?", "name")).await?;
        cx.ask("step2", &forms::text("Step 2: What is your favorite color?", "color")).await?;
        Ok("Both steps are done.".to_owned())
    }

    async fn input_required_result_capabilities(
        &self,
        cx: &Context,
        _: test::InputRequiredResultCapabilities,
    ) -> Result<String> {
        let questions: [(&str, Question); 2] = [
            ("user_name", forms::name().into()),
            ("greeting", Sampling::new("Generate a greeting", 50).into()),
        ];
        let answerable = questions.into_iter().filter(|(_, question)| cx.can_ask(question.clone()));
        cx.ask_together(answerable).await?;
        Ok("Everything that could be asked was asked.".to_owned())
    }
}
