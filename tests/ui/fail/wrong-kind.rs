toolwrit::authority!("wrong-kind.yaml");

fn main() {}
