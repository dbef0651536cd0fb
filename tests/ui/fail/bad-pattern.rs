toolwrit::authority!("bad-pattern.yaml");

fn main() {}
