toolwrit::authority!("unknown-category.yaml");

fn main() {}
