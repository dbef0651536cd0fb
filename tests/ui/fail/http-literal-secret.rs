toolwrit::authority!("http-literal-secret.yaml");

fn main() {}
