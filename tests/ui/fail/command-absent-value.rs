toolwrit::authority!("command-absent-value.yaml");

fn main() {}
