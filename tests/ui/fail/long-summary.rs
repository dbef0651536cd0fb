toolwrit::authority!("long-summary.yaml");

fn main() {}
