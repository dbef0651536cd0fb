toolwrit::authority!("confirm-missing.yaml");

fn main() {}
