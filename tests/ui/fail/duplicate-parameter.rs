toolwrit::authority!("duplicate-parameter.yaml");

fn main() {}
