toolwrit::authority!("duplicate-key.yaml");

fn main() {}
