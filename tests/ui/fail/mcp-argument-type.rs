toolwrit::authority!("mcp-argument-type.yaml");

fn main() {}
