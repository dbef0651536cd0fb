toolwrit::authority!("bad-example.yaml");

fn main() {}
