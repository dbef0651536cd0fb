const PATH: &str = "handlers.yaml";

toolwrit::authority!(PATH);

fn main() {}
