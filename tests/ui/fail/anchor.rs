toolwrit::authority!("anchor.yaml");

fn main() {}
