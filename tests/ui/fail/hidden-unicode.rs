toolwrit::authority!("hidden-unicode.yaml");

fn main() {}
