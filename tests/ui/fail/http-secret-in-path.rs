toolwrit::authority!("http-secret-in-path.yaml");

fn main() {}
