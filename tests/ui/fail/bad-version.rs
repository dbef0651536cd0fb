toolwrit::authority!("bad-version.yaml");

fn main() {}
