//! Language models, without the details of any provider.

#[cfg(feature = "remote")]
mod context;
#[cfg(feature = "remote")]
mod dialect;
#[cfg(feature = "remote")]
mod failure;
#[cfg(feature = "remote")]
mod frames;
#[cfg(feature = "remote")]
mod hearing;
mod model;
#[cfg(feature = "remote")]
mod offered;
#[cfg(feature = "remote")]
mod plain_reach;
#[cfg(feature = "remote")]
mod remote;
mod scripted;
#[cfg(feature = "remote")]
mod wire;

#[cfg(feature = "remote")]
pub use self::dialect::{Dialect, NoDialect};
#[cfg(all(feature = "remote", fuzzing))]
pub use self::hearing::heard;
#[cfg(feature = "remote")]
pub use self::model::OfferedModel;
pub use self::model::{
    End, Event, Image, Message, Model, ModelError, PastCall, PastResult, Price, Request, Stop,
    Usage, WantedCall,
};
#[cfg(feature = "remote")]
pub use self::remote::{BadModel, RemoteModel, RemoteModelOptions};
pub use self::scripted::{Script, ScriptedModel};
