//! Operations that no handler carries out: those of HTTP APIs, commands, other servers and loaded manifests.

mod bindings;
mod bound_tools;
mod commands;
mod loaded;
mod upstreams;
