toolwrit::authority!("missing-file.yaml");

fn main() {}
