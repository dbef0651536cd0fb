toolwrit::authority!("http-unknown-name.yaml");

fn main() {}
