toolwrit::authority!("http-unreachable-field.yaml");

fn main() {}
