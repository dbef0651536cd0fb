toolwrit::authority!("http-pages-of-no-list.yaml");

fn main() {}
