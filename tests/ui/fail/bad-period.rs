toolwrit::authority!("bad-period.yaml");

fn main() {}
