toolwrit::authority!("alias-collision.yaml");

fn main() {}
