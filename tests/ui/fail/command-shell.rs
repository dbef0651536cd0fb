toolwrit::authority!("command-shell.yaml");

fn main() {}
