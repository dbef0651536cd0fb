//! The command line, the commands in the guide, and the site.

mod cli;
mod guide;
mod site;
