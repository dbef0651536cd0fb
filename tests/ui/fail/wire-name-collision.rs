toolwrit::authority!("wire-name-collision.yaml");

fn main() {}
