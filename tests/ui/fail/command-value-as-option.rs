toolwrit::authority!("command-value-as-option.yaml");

fn main() {}
