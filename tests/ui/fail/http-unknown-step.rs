toolwrit::authority!("http-unknown-step.yaml");

fn main() {}
