//! Tests of a handler by itself, and of an operation through the whole pipeline.

use serde_json::json;
use toolwrit::{Code, Context, testing};

use super::{Sea, Tools, sea, types};

#[tokio::test]
async fn watch_filters_by_wind() {
    let (bottles, cx) = (Sea::default(), Context::test().build());
    let thrown = |wind| sea::Throw { message: "Ahoy".to_owned(), wind };
    for wind in [types::Wind::North, types::Wind::East] {
        sea::Handlers::throw(&bottles, &cx, thrown(wind)).await.expect("the bottle is thrown");
    }
    let from_east = sea::Watch { wind: Some(types::Wind::East) };
    let seen =
        sea::Handlers::watch(&bottles, &cx, from_east).await.expect("the bottles are listed");
    assert_eq!(seen.iter().map(|bottle| bottle.wind).collect::<Vec<_>>(), [types::Wind::East]);
}

#[tokio::test]
async fn an_empty_message_is_refused() {
    let nothing = json!({"message": ""});
    let refused = testing::call::<Tools<Sea>>(Sea::default(), "sea.throw", nothing).await;
    assert_eq!(refused.map_err(|fault| fault.code()), Err(Code::ValidationError));
}
