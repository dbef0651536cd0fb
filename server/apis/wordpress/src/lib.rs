//! The parts of the WordPress server that know neither MCP nor HTTP.

pub mod blocks;
