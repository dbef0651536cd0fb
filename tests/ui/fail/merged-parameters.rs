toolwrit::authority!("merged-parameters.yaml");

fn main() {}
