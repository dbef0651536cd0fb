//! The address of the database.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// How long a connection may take to open.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a connection may be silent before the system asks whether the other end still exists.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(5);
/// The time between such questions, and how many remain unanswered before the connection is given up.
const KEEPALIVE: (Duration, u32) = (Duration::from_secs(2), 3);

/// The parameters of an address, besides those of TLS. tokio-postgres-rustls cannot bind a password to its channel, so that
/// `channel_binding` is not among them; `verify-full` protects as much.
const PARAMETERS: [&str; 9] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "load_balance_hosts",
    "password",
    "port",
    "target_session_attrs",
    "user",
];

/// Where the database is, and how to log in. A secret: neither `Debug` nor `Display` shows the password.
#[derive(Clone)]
pub struct Address {
    pub(crate) config: Config,
    pub(crate) security: Security,
    without_password: String,
}

/// How the connection is protected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Security {
    /// It is not: `disable`, sockets of Unix, and addresses of this machine without `sslmode`.
    Off,
    /// Encrypted, whoever answers: `require`.
    Encrypted,
    /// The server's certificate is from an authority in this file: `verify-ca`.
    Authority(PathBuf),
    /// The certificate is also for the host of the address: `verify-full`. Without a file, the system's authorities count.
    Host(Option<PathBuf>),
}

/// Why a text is not an address. It never contains the text, which may have a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// It is for something else.
    #[error(
        "the address of the database does not begin with postgres://; write postgres://USER:PASSWORD@HOST/DATABASE"
    )]
    Scheme,
    /// It would fall back to a connection that anyone can read.
    #[error(
        "sslmode=prefer and sslmode=allow fall back to a connection without TLS; write sslmode=verify-full, or sslmode=disable if the network is trusted"
    )]
    Fallback,
    /// It has an unknown mode.
    #[error("sslmode is one of verify-full, verify-ca, require and disable")]
    Mode,
    /// Its authority is missing.
    #[error(
        "sslmode=verify-ca needs the authority of the certificate: add sslrootcert=FILE, or write sslmode=verify-full"
    )]
    NoAuthority,
    /// It has a parameter that is not supported.
    #[error(
        "the address of the database has a parameter that is not supported; the parameters are sslmode, sslrootcert, {}",
        PARAMETERS.join(", ")
    )]
    Parameter,
    /// It is not a URL, or a value in it is not valid.
    #[error(
        "the address of the database cannot be read; write postgres://USER:PASSWORD@HOST/DATABASE, with the characters :/?#[]@% in a password as %3A and so on"
    )]
    Unreadable,
}

impl Address {
    /// Parses a URL as `libpq` has them. Without `sslmode`, the server must prove its name, except on this machine.
    ///
    /// # Errors
    /// If it is not one, or would connect without what it asks for.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let is_ours =
            ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme));
        if !is_ours {
            return Err(BadAddress::Scheme);
        }
        let (place, query) = text.split_once('?').unwrap_or((text, ""));
        if has_bare_password(place) {
            return Err(BadAddress::Unreadable);
        }
        let (mut mode, mut authority, mut others) = (None, None, Vec::new());
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').ok_or(BadAddress::Unreadable)?;
            let decoded =
                || percent_decode_str(value).decode_utf8().map_err(|_| BadAddress::Unreadable);
            match name {
                "sslmode" => mode = Some(decoded()?),
                "sslrootcert" => authority = Some(PathBuf::from(decoded()?.as_ref())),
                name if PARAMETERS.contains(&name) => others.push(parameter),
                _ => return Err(BadAddress::Parameter),
            }
        }
        let place = if others.is_empty() {
            place.to_owned()
        } else {
            format!("{place}?{}", others.join("&"))
        };
        let mut config = Config::from_str(&place).map_err(|_| BadAddress::Unreadable)?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(BadAddress::Unreadable);
        }
        let security = match (Reach::of(&config), mode.as_deref(), authority) {
            (Reach::Socket, ..) | (Reach::Loopback, None, None) => Security::Off,
            (_, mode, authority) => Security::parse(mode, authority)?,
        };
        complete(&mut config, &security);
        Ok(Self { config, security, without_password: without_password(text) })
    }

    /// Returns the URL as it was written, without the password.
    pub fn without_password(&self) -> &str {
        &self.without_password
    }

    /// Takes what this address does not say from another one: the user with the password, and the name of the database.
    #[must_use]
    pub(crate) fn completed_by(mut self, other: &Self) -> Self {
        let (own, other) = (&mut self.config, &other.config);
        if own.get_user().is_none_or(|user| Some(user) == other.get_user()) {
            if let Some(user) = other.get_user() {
                own.user(user);
            }
            if let Some(password) = other.get_password().filter(|_| own.get_password().is_none()) {
                own.password(password);
            }
        }
        if let Some(name) = other.get_dbname().filter(|_| own.get_dbname().is_none()) {
            own.dbname(name);
        }
        self
    }
}

/// Removes the password from a URL.
fn without_password(url: &str) -> String {
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let (scheme, rest) = place.split_once("://").unwrap_or_default();
    let rest = match rest.split_once('@') {
        Some((login, rest)) => {
            format!("{}@{rest}", login.split_once(':').map_or(login, |(user, _)| user))
        }
        None => rest.to_owned(),
    };
    let parameters: Vec<&str> = query
        .split('&')
        .filter(|parameter| !parameter.is_empty() && !parameter.starts_with("password="))
        .collect();
    let mark = if parameters.is_empty() { "" } else { "?" };
    format!("{scheme}://{rest}{mark}{}", parameters.join("&"))
}

/// Whether a password seems to have characters that end it: a part of it would be the host, or the name of the database, which
/// are shown.
fn has_bare_password(place: &str) -> bool {
    let (_, place) = place.split_once("://").unwrap_or_default();
    let (authority, path) = place.split_once('/').unwrap_or((place, ""));
    path.contains('@') || authority.matches('@').count() > 1
}

/// How far the way to the database leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Through sockets of Unix.
    Socket,
    /// Not beyond this machine.
    Loopback,
    Network,
}

impl Reach {
    fn of(config: &Config) -> Self {
        let is_loopback = |name: &str| {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        };
        let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
        if addresses.is_empty() && hosts.iter().all(|host| !matches!(host, Host::Tcp(_))) {
            return Self::Socket;
        }
        let is_here = |host: &Host| match host {
            Host::Tcp(name) => is_loopback(name),
            #[cfg(unix)]
            Host::Unix(_) => true,
        };
        // An address counts in place of the host beside it.
        let stays = if addresses.is_empty() {
            hosts.iter().all(is_here)
        } else {
            addresses.iter().all(IpAddr::is_loopback)
        };
        if stays { Self::Loopback } else { Self::Network }
    }
}

/// Adds what every connection has.
fn complete(config: &mut Config, security: &Security) {
    let (interval, retries) = KEEPALIVE;
    config
        .ssl_mode(if *security == Security::Off { SslMode::Disable } else { SslMode::Require })
        .connect_timeout(CONNECT_TIMEOUT)
        .keepalives_idle(KEEPALIVE_IDLE)
        .keepalives_interval(interval)
        .keepalives_retries(retries);
    if config.get_application_name().is_none() {
        config.application_name("toolwrit");
    }
}

impl Security {
    fn parse(mode: Option<&str>, authority: Option<PathBuf>) -> Result<Self, BadAddress> {
        match mode {
            None | Some("verify-full") => Ok(Security::Host(authority)),
            Some("verify-ca") => authority.map(Security::Authority).ok_or(BadAddress::NoAuthority),
            // As libpq: an authority that is named must have signed the certificate.
            Some("require") => Ok(authority.map_or(Security::Encrypted, Security::Authority)),
            Some("disable") => Ok(Security::Off),
            Some("prefer" | "allow") => Err(BadAddress::Fallback),
            Some(_) => Err(BadAddress::Mode),
        }
    }
}

impl fmt::Display for Address {
    /// Writes the address without password and parameters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = self.config.get_user() {
            write!(f, "{user}@")?;
        }
        for (index, host) in self.config.get_hosts().iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match host {
                Host::Tcp(name) => write!(f, "{comma}{name}")?,
                #[cfg(unix)]
                Host::Unix(folder) => write!(f, "{comma}{}", folder.display())?,
            }
            let ports = self.config.get_ports();
            if let Some(port) = ports.get(index).or(ports.first()) {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self}, {:?})", self.security)
    }
}
