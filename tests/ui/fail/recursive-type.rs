toolwrit::authority!("recursive-type.yaml");

fn main() {}
