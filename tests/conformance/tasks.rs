//! The operations for the scenarios of the tasks extension.

use std::time::Duration;

use toolwrit::{Answered, Context, Fault, Result};

use crate::{App, forms, jobs};

impl jobs::Handlers for App {
    async fn greet(&self, _: &Context, p: jobs::Greet) -> Result<String> {
        Ok(format!("Hello, {}!", p.name))
    }

    async fn slow_compute(&self, _: &Context, p: jobs::SlowCompute) -> Result<String> {
        tokio::time::sleep(Duration::from_secs(p.seconds.unsigned_abs())).await;
        Ok(format!("{} took {} s.", p.label.as_deref().unwrap_or("It"), p.seconds))
    }

    async fn failing_job(&self, _: &Context, _: jobs::FailingJob) -> Result<String> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Err(Fault::upstream("This job intentionally fails."))
    }

    async fn protocol_error_job(&self, _: &Context, _: jobs::ProtocolErrorJob) -> Result<String> {
        panic!("this job intentionally breaks off")
    }

    async fn confirm_delete(&self, _: &Context, p: jobs::ConfirmDelete) -> Result<String> {
        // The engine has asked for confirmation.
        Ok(format!("Deleted {}.", p.filename))
    }

    async fn multi_input(&self, cx: &Context, _: jobs::MultiInput) -> Result<String> {
        let (giver, taker) =
            (forms::text("Who gives it?", "name"), forms::text("Who gets it?", "name"));
        cx.ask_together([("giver", giver.clone().into()), ("taker", taker.clone().into())]).await?;
        let (giver, taker) = (cx.ask("giver", &giver).await?, cx.ask("taker", &taker).await?);
        Ok(format!("{} gives it to {}.", name(&giver), name(&taker)))
    }

    async fn tool_with_task(&self, cx: &Context, _: jobs::ToolWithTask) -> Result<String> {
        let answered = cx.ask("user_name", &forms::name()).await?;
        cx.begin_task()?;
        Ok(format!("Hello, {}!", name(&answered)))
    }
}

fn name(answered: &Answered) -> &str {
    match answered {
        Answered::Accepted(answer) => answer["name"].as_str().unwrap_or_default(),
        Answered::Declined | Answered::Cancelled => "somebody",
    }
}
