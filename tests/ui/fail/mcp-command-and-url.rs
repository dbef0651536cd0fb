toolwrit::authority!("mcp-command-and-url.yaml");

fn main() {}
