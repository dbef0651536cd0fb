toolwrit::authority!("bad-default.yaml");

fn main() {}
