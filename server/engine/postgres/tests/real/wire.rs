//! A connection between a replica and its database that a test can cut.

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::postgres::free_port;

/// Passes connections on, unless it is cut.
pub(crate) struct Wire {
    port: u16,
    is_whole: watch::Sender<bool>,
}

impl Wire {
    /// Passes connections on to a port of this machine.
    pub(crate) async fn to(port: u16) -> Self {
        let own = free_port();
        let listener = TcpListener::bind(("127.0.0.1", own)).await.unwrap();
        let is_whole = watch::Sender::new(true);
        let mut state = is_whole.subscribe();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let is_whole = *state.borrow_and_update();
                if is_whole {
                    let target = SocketAddr::from(([127, 0, 0, 1], port));
                    tokio::spawn(pass(client, target, state.clone()));
                }
            }
        });
        Self { port: own, is_whole }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Ends all connections, and accepts none.
    pub(crate) fn cut(&self) {
        self.is_whole.send_replace(false);
    }

    /// Accepts connections again.
    pub(crate) fn mend(&self) {
        self.is_whole.send_replace(true);
    }
}

async fn pass(mut client: TcpStream, target: SocketAddr, mut state: watch::Receiver<bool>) {
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    tokio::select! {
        _ = tokio::io::copy_bidirectional(&mut client, &mut server) => {}
        _ = state.wait_for(|is_whole| !is_whole) => {}
    }
}
