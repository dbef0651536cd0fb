toolwrit::authority!("resource-variable.yaml");

fn main() {}
