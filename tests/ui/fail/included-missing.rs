toolwrit::authority!("included-missing.yaml");

fn main() {}
