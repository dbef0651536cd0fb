toolwrit::authority!("mcp-unknown-argument.yaml");

fn main() {}
