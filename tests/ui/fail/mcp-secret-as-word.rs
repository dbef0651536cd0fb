toolwrit::authority!("mcp-secret-as-word.yaml");

fn main() {}
