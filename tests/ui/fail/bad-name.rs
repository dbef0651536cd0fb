toolwrit::authority!("bad-name.yaml");

fn main() {}
