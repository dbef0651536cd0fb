//! The command line, the commands in the guide, the packages and the site.

mod cli;
mod guide;
mod packages;
mod site;
