toolwrit::authority!("mcp-lock-missing.yaml");

fn main() {}
