//! Addresses of a database, and what they show.

use toolwrit_postgres::{Address, BadAddress};

const PASSWORD: &str = "s3cret-p%40ss";

#[test]
fn addresses_show_no_password() {
    let url = format!("postgres://ada:{PASSWORD}@db.example:6432,other/calls?sslmode=verify-full");
    let address = Address::parse(&url).unwrap();
    assert_eq!(address.to_string(), "postgres://ada@db.example:6432,other:5432/calls");
    let written = "postgres://ada@db.example:6432,other/calls?sslmode=verify-full";
    assert_eq!(address.without_password(), written);
    let debug = format!("{address:?} {:?}", toolwrit_postgres::Settings::new(address.clone()));
    assert!(!debug.contains("s3cret"), "{debug}");
}

#[test]
fn addresses_with_a_socket_or_each_mode_are_read() {
    for parameters in [
        "",
        "?sslmode=disable",
        "?sslmode=require",
        "?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem",
        "?sslmode=verify-ca&sslrootcert=/etc/ca.pem&application_name=a%20b",
        "?target_session_attrs=read-write&load_balance_hosts=random",
    ] {
        assert!(Address::parse(&format!("postgresql://h/d{parameters}")).is_ok(), "{parameters}");
    }
    for (host, protection) in [
        ("db.example", "Host(None)"),
        ("127.0.0.1,db.example", "Host(None)"),
        ("10.0.0.1", "Host(None)"),
        ("localhost", "Off"),
        ("127.0.0.1", "Off"),
        ("[::1]", "Off"),
    ] {
        let address = Address::parse(&format!("postgres://{host}/d")).unwrap();
        assert!(format!("{address:?}").contains(protection), "{address:?}");
    }
    let socket = Address::parse("postgres://tw@%2Frun%2Fpostgresql/calls").unwrap();
    assert_eq!(socket.to_string(), "postgres://tw@/run/postgresql:5432/calls");
}

#[test]
fn a_url_is_shown_as_it_was_written_but_for_its_password() {
    for (url, shown) in [
        ("postgres://h/d", "postgres://h/d"),
        ("postgresql://ada@h", "postgresql://ada@h"),
        ("postgres://h/d?user=ada&password=s3cret&port=1", "postgres://h/d?user=ada&port=1"),
        ("postgres://ada:s3cret@h/d?password=s3cret", "postgres://ada@h/d"),
    ] {
        assert_eq!(Address::parse(url).unwrap().without_password(), shown);
    }
}

#[test]
fn a_bad_address_is_refused_without_being_shown() {
    for (url, why) in [
        ("mysql://ada:s3cret@h/d", BadAddress::Scheme),
        ("postgres://ada:s3cret@h/d?sslmode=prefer", BadAddress::Fallback),
        ("postgres://ada:s3cret@h/d?sslmode=allow", BadAddress::Fallback),
        ("postgres://ada:s3cret@h/d?sslmode=s3cret", BadAddress::Mode),
        ("postgres://ada:s3cret@h/d?sslmode=verify-ca", BadAddress::NoAuthority),
        ("postgres://ada:?s3cret=b@h/d", BadAddress::Parameter),
        ("postgres://ada:x@h/d?options=-csearch_path%3Ds3cret", BadAddress::Parameter),
        ("postgres://ada:s3cret@h/d?channel_binding=require", BadAddress::Parameter),
        ("postgres://ada:s3cret@h:port/d", BadAddress::Unreadable),
        ("postgres://", BadAddress::Unreadable),
        ("postgres://ada:p@s3cret@h/d", BadAddress::Unreadable),
        ("postgres://ada:p@a/s3cret@h/d", BadAddress::Unreadable),
        ("postgres://ada:p/s3cret@h/d", BadAddress::Unreadable),
    ] {
        let found = Address::parse(url).unwrap_err();
        assert_eq!(found, why, "{url}");
        assert!(!format!("{found} {found:?}").contains("s3cret"), "{found}");
    }
}
