//! Servers that cannot or may not be reached.

use std::borrow::Cow;
use std::io::Write as _;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::json;
use toolwrit_bindings::model::Code;
use toolwrit_bindings::{Connection, ConnectionOptions, Settings};
use toolwrit_test_servers::http::json_response as answer;

use crate::open::{OPEN, READ};
use crate::{connect, connect_with, object, options, secrets, value};

#[tokio::test]
async fn addresses_that_are_not_public_are_not_reached() {
    let closed = ConnectionOptions { networks: Vec::new(), ..options() };
    for (host, network) in [
        ("127.0.0.1", "127.0.0.0/8"),
        ("[::1]", "::1/128"),
        ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1/128"),
        ("10.0.0.1", "10.0.0.0/8"),
        ("169.254.169.254", "169.254.0.0/16"),
        ("0x7f000001", "127.0.0.0/8"),
        ("127.1", "127.0.0.0/8"),
    ] {
        let url = json!({ "url": format!("https://{host}:9/") });
        let settings =
            Settings::parse(&OPEN.name, &OPEN.settings, object(&url), secrets()).unwrap();
        let failure = Connection::new(Cow::Borrowed(&OPEN), settings, &closed).err().expect(host);
        assert_eq!(failure.code, Code::ProviderUnavailable, "{host}");
        assert!(failure.message.contains("is not a public address"), "{failure}");
        let fix = format!("with `networks = [\"{network}\"]` in `[providers.open]`.");
        assert!(failure.hint.unwrap().ends_with(&fix), "{fix}");
    }
    let by_name = connect_with(&OPEN, &json!({ "url": "https://localhost:9/" }), &closed);
    let failure = value(&by_name, &READ).await.unwrap_err();
    assert_eq!((&failure.code, failure.sent), (&Code::ProviderUnavailable, false));
    assert!(failure.message.contains("is not a public address"), "{failure}");
    assert!(!failure.retryable);
}

#[tokio::test]
async fn a_host_that_does_not_exist_is_named() {
    let none = connect(&OPEN, &json!({ "url": "https://no-such-host.invalid/" }));
    let failure = value(&none, &READ).await.unwrap_err();
    assert_eq!(failure.code, Code::UpstreamError);
    assert_eq!(failure.message, "open cannot be reached: there is no such host.");
}

/// Serves TLS with a certificate of its own. Returns the URL and the certificate in PEM.
fn tls_server() -> (String, Vec<u8>) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let config = Arc::new(config);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, stream.unwrap());
            let mut head = [0; 4096];
            if std::io::Read::read(&mut stream, &mut head).is_ok() {
                let _ = stream.write_all(&answer(200, &json!("private")));
                let _ = stream.flush();
            }
        }
    });
    (url, cert.pem().into_bytes())
}

#[tokio::test]
async fn certificates_are_verified() {
    let (url, certificate) = tls_server();
    let settings = json!({ "url": url });
    let failure = value(&connect(&OPEN, &settings), &READ).await.unwrap_err();
    assert_eq!((&failure.code, failure.sent), (&Code::UpstreamError, false));
    assert!(failure.message.starts_with("TLS with open failed"), "{failure}");
    assert!(!failure.retryable);

    let trusting = ConnectionOptions { certificates: Some(certificate), ..options() };
    let trusting = connect_with(&OPEN, &settings, &trusting);
    assert_eq!(value(&trusting, &READ).await, Ok("private".into()));
    for pem in ["", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let options = ConnectionOptions { certificates: Some(pem.into()), ..options() };
        let settings =
            Settings::parse(&OPEN.name, &OPEN.settings, object(&settings), secrets()).unwrap();
        let failure = Connection::new(Cow::Borrowed(&OPEN), settings, &options).err().expect(pem);
        assert_eq!(failure.code, Code::ProviderUnavailable, "{pem}");
    }
}
