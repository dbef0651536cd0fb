//! A host of plugins: a provider whose operations join and leave while the server runs.

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};
use tokio::sync::{Notify, watch};
use toolwrit::dynamic::DynamicOperation;
use toolwrit::{BoxFuture, Code, Context, Effect, Fault, Offers, Probe, Provider, Result};

toolwrit::authority!("authority.yaml");

pub(crate) struct Host {
    kennel: Arc<Kennel>,
}

/// The plugins, and what they share.
struct Kennel {
    /// Names, and the declared effects.
    plugins: Mutex<BTreeMap<String, Option<Effect>>>,
    waiting: AtomicI64,
    /// How many times waiting calls were released.
    released: watch::Sender<u64>,
    /// Plugins were installed or removed without the engine being told.
    silently: Notify,
    /// How many of the next probes fail.
    failing: AtomicI64,
}

impl toolwrit::App for Host {
    type Options = ();

    async fn open((): (), _: toolwrit::Updates) -> std::result::Result<Self, Box<dyn Error>> {
        let kennel = Kennel {
            plugins: Mutex::new(BTreeMap::from([("old".to_owned(), Some(Effect::Read))])),
            waiting: AtomicI64::new(0),
            released: watch::Sender::new(0),
            silently: Notify::new(),
            failing: AtomicI64::new(0),
        };
        Ok(Self { kennel: Arc::new(kennel) })
    }

    fn setup(&self) -> toolwrit::Setup {
        toolwrit::Setup::new().offering(self.kennel.clone())
    }
}

impl host::Handlers for Host {
    async fn install(&self, cx: &Context, p: host::Install) -> Result<String> {
        let effect = p.effect.map(|effect| match effect {
            host::InstallEffect::Read => Effect::Read,
            host::InstallEffect::Write => Effect::Write,
            host::InstallEffect::Destroy => Effect::Destroy,
        });
        self.kennel.plugins().extend(p.names.into_iter().map(|name| (name, effect)));
        self.changed(cx, p.silently).await;
        Ok("installed".to_owned())
    }

    async fn remove(&self, cx: &Context, p: host::Remove) -> Result<String> {
        let left = {
            let mut plugins = self.kennel.plugins();
            p.names.iter().filter(|name| plugins.remove(*name).is_some()).count()
        };
        self.changed(cx, false).await;
        Ok(left.to_string())
    }

    async fn clear(&self, cx: &Context, _: host::Clear) -> Result<String> {
        let left = std::mem::take(&mut *self.kennel.plugins()).len();
        self.changed(cx, false).await;
        Ok(left.to_string())
    }

    async fn fail(&self, cx: &Context, p: host::Fail) -> Result<String> {
        self.kennel.failing.store(p.probes, SeqCst);
        cx.examine_provider("kennel").await;
        Ok("failing".to_owned())
    }

    async fn release(&self, _: &Context, _: host::Release) -> Result<String> {
        self.kennel.released.send_modify(|times| *times += 1);
        Ok("released".to_owned())
    }

    async fn waiting(&self, _: &Context, _: host::Waiting) -> Result<String> {
        Ok(self.kennel.waiting.load(SeqCst).to_string())
    }

    async fn echo(&self, _: &Context, p: host::Echo) -> Result<String> {
        Ok(p.text)
    }
}

impl plugin::Handlers for Host {
    async fn about(&self, _: &Context, _: plugin::About) -> Result<String> {
        Ok("Plugins say who they are.".to_owned())
    }
}

impl Host {
    /// Makes the engine list the plugins again, or lets the provider report that.
    async fn changed(&self, cx: &Context, silently: bool) {
        if silently {
            self.kennel.silently.notify_one();
        } else {
            cx.examine_provider("kennel").await;
        }
    }
}

impl Kennel {
    fn plugins(&self) -> MutexGuard<'_, BTreeMap<String, Option<Effect>>> {
        self.plugins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn say(&self, id: &str, arguments: Map<String, Value>) -> Result<Value> {
        let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default();
        if text == "choke" {
            return Err(Fault::new(Code::UpstreamError, "The plugin chokes."));
        }
        if arguments.get("wait") == Some(&Value::Bool(true)) {
            let mut released = self.released.subscribe();
            self.waiting.fetch_add(1, SeqCst);
            let release = released.changed().await;
            self.waiting.fetch_sub(1, SeqCst);
            release?;
        }
        Ok(format!("{id}: {text}").into())
    }
}

impl Provider for Kennel {
    fn name(&self) -> &'static str {
        "kennel"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        let fails = self.failing.fetch_update(SeqCst, SeqCst, |left| (left > 0).then(|| left - 1));
        let probe = match fails {
            Ok(_) => Err(Fault::new(Code::UpstreamError, "The kennel is on fire.")),
            Err(_) => Ok(Probe::Available { version: Some("2.1".to_owned()) }),
        };
        Box::pin(async { probe })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.silently.notified())
    }
}

impl Offers for Kennel {
    fn operations(&self) -> BoxFuture<'_, Result<Vec<DynamicOperation>>> {
        let plugins = self.plugins().iter().map(|(name, effect)| plugin(name, *effect)).collect();
        Box::pin(async { Ok(plugins) })
    }

    /// Plugins of this name are lame.
    fn problems(&self) -> BoxFuture<'_, Result<Vec<String>>> {
        let is_lame = self.plugins().contains_key("lame");
        let problems = is_lame.then(|| "The plugin lame limps.".to_owned());
        Box::pin(async { Ok(problems.into_iter().collect()) })
    }

    fn call<'a>(
        &'a self,
        operation: &'a str,
        _: &'a Context,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value>> {
        Box::pin(self.say(operation, arguments))
    }
}

/// A plugin returns its name and its arguments.
fn plugin(name: &str, effect: Option<Effect>) -> DynamicOperation {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string", "description": "What to say.", "maxLength": 100 },
            "wait": { "type": "boolean", "description": "Not before it is released." },
            "tone": { "type": "string", "enum": ["soft", "loud"] },
            "times": { "type": "integer", "minimum": 1, "maximum": 5 },
            "to": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["text"],
        "additionalProperties": false,
    });
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    if name == "relay" {
        schema["properties"]["next"] = json!({ "$ref": "#" });
    }
    let summary = format!("Say something as the plugin {name}.");
    let mut plugin = DynamicOperation::new(format!("plugin.kennel:{name}"), summary, schema);
    plugin.effect = effect;
    plugin.open_world = Some(false);
    plugin.asks = vec![format!("let {name} bark at the moon")];
    plugin.examples.extend(json!({ "text": "woof" }).as_object().cloned());
    plugin
}

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<Host>>()
}
