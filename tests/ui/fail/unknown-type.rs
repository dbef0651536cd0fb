toolwrit::authority!("unknown-type.yaml");

fn main() {}
