toolwrit::authority!("command-included.yaml");

fn main() {}
