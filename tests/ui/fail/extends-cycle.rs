toolwrit::authority!("extends-cycle.yaml");

fn main() {}
