toolwrit::authority!("missing-key.yaml");

fn main() {}
