toolwrit::authority!("cached-write.yaml");

fn main() {}
