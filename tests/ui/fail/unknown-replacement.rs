toolwrit::authority!("unknown-replacement.yaml");

fn main() {}
