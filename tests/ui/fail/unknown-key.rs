toolwrit::authority!("unknown-key.yaml");

fn main() {}
