//! `plugin.*`: what plugins of Obsidian do with the vault.

use std::ops::Range;
use std::sync::Arc;

use toolwrit::{Context, Page, Result};
use toolwrit_dataview::{Answer, QueryOptions, Rows, Skipped};
use toolwrit_plugins::smart_connections::{Passage, Query};
use toolwrit_vault::{Folder, VaultPath};

use super::sizes::{json_size, to_size};
use crate::app::Vaults;
use crate::author::author;
use crate::faults::{api_fault, api_not_configured, fault, query_fault, search_fault};
use crate::operations::{plugin, types};
use crate::plugins::templater::{Request, execute};

impl plugin::Handlers for Vaults {
    async fn dataview_query(
        &self,
        cx: &Context,
        p: plugin::DataviewQuery,
    ) -> Result<Page<plugin::DataviewQueryResult>> {
        let dataview = Arc::clone(&self.vault(cx)?.dataview);
        // The answer contains more than the rows.
        let most = usize::try_from(cx.result_bytes() / 4 * 3).unwrap_or(usize::MAX);
        cx.blocking(move |is_cancelled| {
            let origin = p.origin.as_deref().map(VaultPath::parse).transpose();
            let origin = origin.map_err(|error| fault(error.into()).with_path("/origin"))?;
            let rendering = dataview.rendering();
            let options = QueryOptions { origin, rendering, ..QueryOptions::default() };
            let answer = dataview.query(&p.query, &options, is_cancelled).map_err(query_fault)?;
            let start: usize =
                p.cursor.as_deref().and_then(|start| start.parse().ok()).unwrap_or(0);
            let range = start..start.saturating_add(to_size(p.limit)).min(answer.rows.len());
            Ok(match p.format {
                plugin::DataviewQueryFormat::Json => value_page(&answer, range),
                plugin::DataviewQueryFormat::Markdown => {
                    markdown_page(&answer, range, &options, most)
                }
            })
        })
        .await
    }

    async fn dataview_js(
        &self,
        cx: &Context,
        p: plugin::DataviewJs,
    ) -> Result<plugin::DataviewJsResult> {
        let api = self.vault(cx)?.rest_api.clone().ok_or_else(api_not_configured)?;
        cx.blocking(move |_| {
            let result = api.run_javascript(&p.code).map_err(|error| api_fault(&error))?;
            Ok(types::DataviewScript { result })
        })
        .await
    }

    async fn templater_execute(
        &self,
        cx: &Context,
        p: plugin::TemplaterExecute,
    ) -> Result<plugin::TemplaterExecuteResult> {
        let (vault, author) = (self.vault(cx)?.vault.clone(), author(cx));
        let request = Request {
            template: p.template,
            answers: p.arguments.unwrap_or_default().into_iter().collect(),
            path: p.path,
            dry_run: p.dry_run,
        };
        cx.blocking(move |is_cancelled| {
            vault.record(author, || execute(&vault, &request, is_cancelled)).0
        })
        .await
    }

    async fn smart_connections_search(
        &self,
        cx: &Context,
        p: plugin::SmartConnectionsSearch,
    ) -> Result<plugin::SmartConnectionsSearchResult> {
        let search = self.vault(cx)?.smart_connections.clone();
        cx.blocking(move |is_cancelled| {
            let query = Query {
                text: &p.query,
                limit: to_size(p.limit),
                folders: &parse_folders(&p.folders, "/folders")?,
                exclude_folders: &parse_folders(&p.exclude_folders, "/exclude_folders")?,
            };
            let found = search.search(&query, is_cancelled).map_err(search_fault)?;
            Ok(types::Passages { passages: found.into_iter().map(convert_passage).collect() })
        })
        .await
    }
}

/// A page of an answer as values. The engine cuts it where it gets too large.
fn value_page(answer: &Answer, range: Range<usize>) -> Page<types::DataviewRows> {
    let rows = answer.rows.page(range.clone()).to_json();
    answer_page(answer, range.end, rows, None)
}

/// A page of an answer as Markdown, with fewer rows if they take more than `most` bytes as JSON.
fn markdown_page(
    answer: &Answer,
    range: Range<usize>,
    options: &QueryOptions,
    most: usize,
) -> Page<types::DataviewRows> {
    let Range { start, mut end } = range;
    loop {
        let text = answer.rows.page(start..end).to_markdown(&options.rendering);
        if json_size(&text) <= most || end <= start + 1 {
            return answer_page(answer, end, Vec::new(), Some(text));
        }
        end = start + (end - start) / 2;
    }
}

fn answer_page(
    answer: &Answer,
    end: usize,
    rows: Vec<toolwrit::Json>,
    markdown: Option<String>,
) -> Page<types::DataviewRows> {
    let skipped = answer.skipped.iter().map(|Skipped { operation, rows, reason }| {
        format!("{operation} left out {rows} rows, the first because {reason}")
    });
    let skipped: Vec<String> = skipped.collect();
    let kind = match answer.rows {
        Rows::List(_) => types::DataviewRowsKind::List,
        Rows::Table { .. } => types::DataviewRowsKind::Table,
        Rows::Task(_) => types::DataviewRowsKind::Task,
        Rows::Calendar(_) => types::DataviewRowsKind::Calendar,
    };
    let skipped = (!skipped.is_empty()).then(|| skipped.join("; "));
    let total = answer.rows.len();
    Page {
        items: types::DataviewRows { kind, rows, markdown, skipped },
        next: (end < total).then(|| end.to_string()),
        total: u64::try_from(total).ok(),
    }
}

fn parse_folders(paths: &[String], place: &str) -> Result<Vec<Folder>> {
    let folder = |(at, path): (usize, &String)| {
        Folder::parse(path).map_err(|error| fault(error.into()).with_path(format!("{place}/{at}")))
    };
    paths.iter().enumerate().map(folder).collect()
}

fn convert_passage(passage: Passage) -> types::Passage {
    types::Passage {
        path: passage.path.to_string(),
        headings: passage.headings,
        excerpt: passage.excerpt,
        score: passage.score.into(),
    }
}
