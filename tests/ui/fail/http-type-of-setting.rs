toolwrit::authority!("http-type-of-setting.yaml");

fn main() {}
