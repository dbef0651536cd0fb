toolwrit::authority!("mcp-unknown-tool.yaml");

fn main() {}
