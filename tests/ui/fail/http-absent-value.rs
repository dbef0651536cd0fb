toolwrit::authority!("http-absent-value.yaml");

fn main() {}
