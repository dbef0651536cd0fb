toolwrit::authority!("feature.yaml");

fn main() {}
