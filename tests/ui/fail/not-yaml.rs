toolwrit::authority!("not-yaml.yaml");

fn main() {}
