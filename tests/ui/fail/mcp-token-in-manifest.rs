toolwrit::authority!("mcp-token-in-manifest.yaml");

fn main() {}
