toolwrit::authority!("http-two-methods.yaml");

fn main() {}
