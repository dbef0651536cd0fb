//! A host of plugins: a toolset with operations that join and leave while it serves.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use serde_json::{Map, Value, json};
use tokio::sync::watch;
use toolwrit::dynamic::{
    ArgValues, Authority, DynamicOperation, LiveAuthority, RunningHandler, Tables, Toolset,
};
use toolwrit::{Code, Context, Effect, Fault, Provision, Result};

toolwrit::authority!("authority.yaml");

struct Host {
    live: LiveAuthority,
    waiting: AtomicI64,
    /// How many times waiting calls were released.
    released: watch::Sender<u64>,
}

impl toolwrit::App for Host {
    type Options = ();

    async fn open((): (), _: toolwrit::Updates) -> std::result::Result<Self, Box<dyn Error>> {
        let live = begin()?;
        Ok(Self { live, waiting: AtomicI64::new(0), released: watch::Sender::new(0) })
    }
}

impl host::Handlers for Host {
    async fn install(&self, _: &Context, p: host::Install) -> Result<String> {
        let effect = p.effect.map(|effect| match effect {
            host::InstallEffect::Read => Effect::Read,
            host::InstallEffect::Write => Effect::Write,
            host::InstallEffect::Destroy => Effect::Destroy,
        });
        let plugins = p.names.iter().map(|name| plugin(name, effect));
        let plugins = plugins.collect::<Result<Vec<_>>>()?;
        self.live.join(plugins).map_err(|why| Fault::new(Code::AlreadyExists, why.to_string()))?;
        Ok("installed".to_owned())
    }

    async fn remove(&self, _: &Context, p: host::Remove) -> Result<String> {
        let left = self.live.leave(p.names.iter().map(|name| format!("plugin.{name}")));
        Ok(left.to_string())
    }

    async fn clear(&self, _: &Context, _: host::Clear) -> Result<String> {
        let now = self.live.now();
        let ids = now.tables().operations.iter().filter(|own| own.joined.is_some());
        Ok(self.live.leave(ids.map(|own| own.id)).to_string())
    }

    async fn release(&self, _: &Context, _: host::Release) -> Result<String> {
        self.released.send_modify(|times| *times += 1);
        Ok("released".to_owned())
    }

    async fn waiting(&self, _: &Context, _: host::Waiting) -> Result<String> {
        Ok(self.waiting.load(SeqCst).to_string())
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

/// The initial authority, with one preinstalled plugin.
fn begin() -> std::result::Result<LiveAuthority, Box<dyn Error>> {
    let live = LiveAuthority::new(<Tools<Host> as toolwrit::dynamic::Tools>::TABLES);
    let first = plugin("old", Some(Effect::Read)).map_err(|fault| fault.to_string())?;
    live.join([first])?;
    Ok(live)
}

/// A plugin returns its name and its arguments.
fn plugin(name: &str, effect: Option<Effect>) -> Result<DynamicOperation> {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string", "description": "What to say.", "maxLength": 100 },
            "wait": { "type": "boolean", "description": "Not before it is released." },
        },
        "required": ["text"],
        "additionalProperties": false,
    });
    let rules = jsonschema::validator_for(&schema)?;
    let validate = move |arguments: &Map<String, Value>| {
        rules.validate(&Value::Object(arguments.clone())).map_err(|error| {
            Fault::validation(error.to_string()).at(error.instance_path().to_string())
        })
    };
    let schema = schema.as_object().cloned().unwrap_or_default();
    let summary = format!("Say something as the plugin {name}.");
    let mut plugin =
        DynamicOperation::new(format!("plugin.{name}"), summary, schema, Arc::new(validate));
    plugin.effect = effect;
    plugin.open_world = false;
    plugin.asks = vec![format!("let {name} bark at the moon")];
    plugin.examples.extend(json!({ "text": "woof" }).as_object().cloned());
    Ok(plugin)
}

impl Host {
    async fn say(&self, id: &str, arguments: Map<String, Value>) -> Result<String> {
        let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default();
        if arguments.get("wait") == Some(&Value::Bool(true)) {
            let mut released = self.released.subscribe();
            self.waiting.fetch_add(1, SeqCst);
            let release = released.changed().await;
            self.waiting.fetch_sub(1, SeqCst);
            release?;
        }
        Ok(format!("{id}: {text}"))
    }
}

/// The generated toolset, and the plugins.
struct Plugins(Tools<Host>);

impl Toolset for Plugins {
    fn authority(&self) -> Authority {
        self.0.authority()
    }

    fn live(&self) -> Option<&LiveAuthority> {
        Some(&self.app().live)
    }

    fn call<'a>(
        &'a self,
        operation: usize,
        cx: &'a Context,
        arguments: ArgValues,
    ) -> RunningHandler<'a> {
        self.0.call(operation, cx, arguments)
    }

    fn call_by_id<'a>(
        &'a self,
        id: &'a str,
        _: &'a Context,
        arguments: Map<String, Value>,
    ) -> RunningHandler<'a> {
        RunningHandler::new(Box::new(self.app().say(id, arguments)))
    }

    fn provider(&self, name: &str) -> Provision {
        self.0.provider(name)
    }
}

use toolwrit::dynamic::Tools as _;

impl toolwrit::dynamic::Tools for Plugins {
    type App = Host;

    const TABLES: &'static Tables<'static> = <Tools<Host> as toolwrit::dynamic::Tools>::TABLES;

    fn offered() -> Authority {
        begin().map_or_else(|_| Authority::of(Self::TABLES), |live| live.now())
    }

    fn new(app: Host) -> Self {
        Self(Tools::new(app))
    }

    fn app(&self) -> &Host {
        self.0.app()
    }
}

fn main() -> ExitCode {
    toolwrit::cli::main::<Plugins>()
}
