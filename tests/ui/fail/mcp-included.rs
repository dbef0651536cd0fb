toolwrit::authority!("mcp-included.yaml");

fn main() {}
