toolwrit::authority!("bad-type.yaml");

fn main() {}
