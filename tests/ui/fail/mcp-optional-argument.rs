toolwrit::authority!("mcp-optional-argument.yaml");

fn main() {}
