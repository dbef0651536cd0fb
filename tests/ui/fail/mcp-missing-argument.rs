toolwrit::authority!("mcp-missing-argument.yaml");

fn main() {}
