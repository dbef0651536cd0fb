//! Replicas behind pgbouncer, in transaction mode.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::future::join_all;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use toolwrit_core::audit::row::AuditFilter;
use toolwrit_postgres::{Address, Replica, Settings};

use crate::postgres::{POOLER, Postgres, free_port, unprivileged};
use crate::served::{APPEND, Served};

/// A pooler before a server. It ends with this value.
pub(crate) struct Pooler {
    port: u16,
    process: Child,
}

impl Pooler {
    pub(crate) fn before(postgres: &Postgres) -> Self {
        let port = free_port();
        let users = postgres.folder().join("users.txt");
        let settings = postgres.folder().join("pgbouncer.ini");
        let text = format!(
            "[databases]\npostgres = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = {}\npool_mode = transaction\ndefault_pool_size = 4\n",
            postgres.port(),
            users.display()
        );
        for (file, text) in [(&users, "\"tw\" \"\"\n"), (&settings, text.as_str())] {
            fs::write(file, text).unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
        }
        let mut process =
            unprivileged(Path::new(POOLER)).arg(&settings).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let is_up = lines.by_ref().map(Result::unwrap).any(|line| line.contains("process up"));
        assert!(is_up, "pgbouncer did not start");
        std::thread::spawn(move || lines.count());
        Self { port, process }
    }

    pub(crate) fn address(&self) -> Address {
        let url = format!("postgres://tw@127.0.0.1:{}/postgres?sslmode=disable", self.port);
        Address::parse(&url).unwrap()
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_raw(self.process.id().cast_signed()).unwrap(), Signal::KILL);
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_work_through_a_pooler_in_transaction_mode() {
    let Some(postgres) = Postgres::start() else { return };
    let pooler = Pooler::before(&postgres);
    let settings = Settings::new(pooler.address());
    assert_eq!(Replica::migrate(&settings, Some("tw")).await.unwrap(), 3);
    let runs = Arc::new(AtomicU64::new(0));
    let replicas: Vec<Replica> = (0..3).map(|_| Replica::open(settings.clone())).collect();
    let served: Vec<Served> = replicas
        .iter()
        .map(|replica| {
            let runs = runs.clone();
            let run: crate::served::Handler = Arc::new(move |_| {
                let run = runs.fetch_add(1, Ordering::SeqCst);
                Box::pin(async move { Ok(json!(run)) })
            });
            Served::new(replica.state(), run)
        })
        .collect();
    let keys = (0..50).map(|key| {
        let served = &served;
        async move {
            let key = key.to_string();
            let calls = served.iter().map(|served| served.insist("ada", APPEND, &key));
            join_all(calls).await.into_iter().map(Result::unwrap).collect::<HashSet<_>>().len()
        }
    });
    assert_eq!(join_all(keys).await, vec![1; 50]);
    assert_eq!(runs.load(Ordering::SeqCst), 50);
    let filter =
        AuditFilter { limit: 100_000, outcome: Some("ok".to_owned()), ..AuditFilter::default() };
    for replica in &replicas {
        // Reading waits for the records of the same replica.
        replica.state().calls(filter.clone()).await.unwrap();
    }
    assert_eq!(replicas[0].state().calls(filter).await.unwrap().len(), 150);
}
