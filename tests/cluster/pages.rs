//! Users of the pages of the documentation are known to every replica by their cookie.

use jsonwebtoken::Algorithm;
use tempfile::TempDir;
use toolwrit_tests::cluster::Cluster;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::ledger;
use toolwrit_tests::servers::issuer::{Issuer, Key};

#[test]
fn a_cookie_of_one_replica_opens_pages_of_the_others_until_its_user_leaves() {
    let (home, folder) = (Home::new(), TempDir::new().unwrap());
    let file = folder.path().join("tokens.toml");
    let file = file.to_str().unwrap();
    let mut made = home.command(ledger(), &["token", "new", "--role", "owner", "--tokens", file]);
    let made = made.output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let bearer = format!("Bearer {}", String::from_utf8(made.stdout).unwrap().trim());
    let Some(cluster) = Cluster::start(&["--tokens", file]) else { return };
    let authorized = [("authorization", bearer.as_str())];
    let begun = cluster.server(0).without_body("POST", "/session", &authorized);
    assert_eq!(begun.status, 204, "{begun:?}");
    let cookie = begun.headers["set-cookie"].to_str().unwrap();
    let (cookie, _) = cookie.split_once(';').unwrap();
    let page = |replica: usize, cookie: &str| {
        cluster.server(replica).get("/docs/", &[("cookie", cookie)]).status
    };
    assert_eq!([0, 1, 2].map(|replica| page(replica, cookie)), [200; 3]);
    assert_eq!(page(1, "toolwrit-pages=0123"), 401, "a cookie that nobody made");
    let ended = cluster.server(2).without_body("DELETE", "/session", &authorized);
    assert_eq!(ended.status, 204, "{ended:?}");
    assert_eq!(page(1, cookie), 401);
}

#[test]
fn a_user_of_an_authorization_server_is_known_to_all_replicas_too() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let flags = issuer.flags(&["lab:use=owner"]);
    let Some(cluster) = Cluster::start(&flags) else { return };
    let token = key.sign(&issuer.claims());
    let bearer = format!("Bearer {token}");
    let authorized = [("authorization", bearer.as_str())];
    let begun = cluster.server(1).without_body("POST", "/session", &authorized);
    assert_eq!(begun.status, 204, "{begun:?}");
    let cookie = begun.headers["set-cookie"].to_str().unwrap();
    let (cookie, _) = cookie.split_once(';').unwrap();
    let page = |replica: usize| cluster.server(replica).get("/docs/", &[("cookie", cookie)]).status;
    assert_eq!([0, 1, 2].map(page), [200; 3]);
    // Whoever reads the database can neither open pages nor make calls.
    let (_, secret) = cookie.split_once('=').unwrap();
    let kept = cluster.database.rows("select id, text from toolwrit.kept").concat();
    assert!(!kept.is_empty());
    assert!(kept.iter().all(|text| !text.contains(secret) && !text.contains(&token)), "{kept:?}");
    let ended = cluster.server(0).without_body("DELETE", "/session", &authorized);
    assert_eq!(ended.status, 204, "{ended:?}");
    assert_eq!([0, 1, 2].map(page), [401; 3]);
}
