toolwrit::authority!("http-result-of-no-list.yaml");

fn main() {}
