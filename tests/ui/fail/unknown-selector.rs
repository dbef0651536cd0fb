toolwrit::authority!("unknown-selector.yaml");

fn main() {}
