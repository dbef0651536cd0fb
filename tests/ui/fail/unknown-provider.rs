toolwrit::authority!("unknown-provider.yaml");

fn main() {}
