toolwrit::authority!("unknown-effect.yaml");

fn main() {}
