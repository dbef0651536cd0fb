toolwrit::authority!("duplicate-operation.yaml");

fn main() {}
