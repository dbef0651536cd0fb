//! Connections with TLS and a password, and through a socket of Unix.

use std::fs;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use toolwrit_postgres::{Address, Problem, Replica, Settings, examine};

use crate::postgres::{Postgres, give_away};

/// An authority.
fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut parameters = CertificateParams::default();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_proves_what_the_address_asks_for() {
    let (own, other) = (authority(), authority());
    let prepare = |data: &Path| {
        let key = KeyPair::generate().unwrap();
        let parameters = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let certificate = parameters.signed_by(&key, &own).unwrap();
        let rules = "local all all trust\nhostssl all all all scram-sha-256\n";
        for (file, text) in [
            ("server.crt", certificate.pem()),
            ("server.key", key.serialize_pem()),
            ("pg_hba.conf", rules.to_owned()),
        ] {
            fs::write(data.join(file), text).unwrap();
            give_away(&data.join(file), 0o600);
        }
    };
    let Some(postgres) = Postgres::start_with(&["ssl=on"], prepare) else { return };
    let authorities = tempfile::tempdir().unwrap();
    for (file, authority) in [("own.pem", &own), ("other.pem", &other)] {
        fs::write(authorities.path().join(file), authority.pem()).unwrap();
    }
    let file = |name| authorities.path().join(name).display().to_string();
    let (own, other) = (file("own.pem"), file("other.pem"));

    let socket = postgres.folder().display().to_string().replace('/', "%2F");
    let socket = format!("postgres://tw@{socket}:{}/postgres", postgres.port());
    let connect = async |url: &str| {
        let settings = Settings::new(Address::parse(url).unwrap());
        Replica::migrate(&settings, None).await.map_err(|error| error.to_string())
    };
    assert_eq!(connect(&socket).await, Ok(3));
    let (client, connection) =
        tokio_postgres::connect(&socket, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("ALTER ROLE tw PASSWORD 'a b'").await.unwrap();

    let unknown = "invalid peer certificate";
    for (host, password, parameters, expected) in [
        ("localhost", "a%20b", format!("sslmode=verify-full&sslrootcert={own}"), Ok(3)),
        ("localhost", "a%20b", format!("sslrootcert={own}"), Ok(3)),
        (
            "127.0.0.1",
            "a%20b",
            format!("sslmode=verify-full&sslrootcert={own}"),
            Err("not valid for name"),
        ),
        ("127.0.0.1", "a%20b", format!("sslmode=verify-ca&sslrootcert={own}"), Ok(3)),
        ("localhost", "a%20b", format!("sslmode=verify-ca&sslrootcert={other}"), Err(unknown)),
        ("localhost", "a%20b", format!("sslmode=require&sslrootcert={other}"), Err(unknown)),
        ("localhost", "a%20b", "sslmode=require".to_owned(), Ok(3)),
        // No connection leaves this machine.
        ("localhost", "a%20b", String::new(), Err("no encryption")),
        ("localhost", "a%20b", "sslmode=disable".to_owned(), Err("no encryption")),
        ("localhost", "wrong", "sslmode=require".to_owned(), Err("password authentication failed")),
        ("localhost", "a%20b", "sslrootcert=/nowhere".to_owned(), Err("sslrootcert=/nowhere")),
    ] {
        let url =
            format!("postgres://tw:{password}@{host}:{}/postgres?{parameters}", postgres.port());
        match (connect(&url).await, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(expected)) => {
                assert!(found.contains(expected), "{url}: {found}");
                assert!(!found.contains(password), "{found}");
            }
            (found, _) => panic!("{url}: {found:?}"),
        }
    } // The database itself has the same user and password as the pooler, if nothing else is said.
    let port = postgres.port();
    let through = format!("postgres://tw:a%20b@localhost:{port}/postgres?sslmode=require");
    let mut settings = Settings::new(Address::parse(&through).unwrap());
    for direct in [
        format!("postgres://localhost:{port}?sslmode=require"),
        format!("postgres://tw@localhost:{port}/postgres?sslmode=require"),
    ] {
        settings.direct = Some(Address::parse(&direct).unwrap());
        assert!(examine(&settings).await.unwrap().problems.is_empty(), "{direct}");
    }
    for direct in ["postgres://tw:wrong@localhost", "postgres://other@localhost"] {
        let direct = format!("{direct}:{port}/postgres?sslmode=require");
        settings.direct = Some(Address::parse(&direct).unwrap());
        let problems = examine(&settings).await.unwrap().problems;
        let [deaf @ Problem::Deaf { .. }] = &problems[..] else { panic!("{problems:?}") };
        assert!(deaf.fix().contains("Correct `direct`"), "{deaf}");
    }
}
