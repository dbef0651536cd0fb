toolwrit::authority!("command-program-of-caller.yaml");

fn main() {}
