toolwrit::authority!("several.yaml");

fn main() {}
