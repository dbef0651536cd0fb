toolwrit::authority!("command-secret-as-word.yaml");

fn main() {}
