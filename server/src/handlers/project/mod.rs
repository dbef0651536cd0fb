//! `project.*`: entities of a project, their state, and the files around them.

mod arguments;
mod batch;
mod documents;
mod files;
mod names;
mod search;
mod state;

use std::sync::Arc;

use jiff::SignedDuration;
use toolwrit::{Context, Fault, Page, Result, Timestamp};
use toolwrit_project::{
    Adopted, BatchOptions, CanvasPlan, Changed, DecisionFilter, NewVersion, ProjectError,
    Selection, View, Workspace,
};
use toolwrit_vault::frontmatter::Properties;
use toolwrit_vault::{CancelCheck, Etag, VaultError, VaultPath};

use super::sizes::to_integer;
use crate::app::Vaults;
use crate::author::author;
use crate::faults::{fault, project_fault};
use crate::operations::{project, types};
use arguments::{
    FindArgument, no_argument, pointer_in_data, pointer_in_document, pointer_in_fields,
    pointer_in_overview, pointer_in_search, pointer_in_text,
};

impl project::Handlers for Vaults {
    async fn create_entity(
        &self,
        cx: &Context,
        p: project::CreateEntity,
    ) -> Result<project::CreateEntityResult> {
        let kind = names::to_kind(p.r#type);
        let canvas = canvas_plan(p.options)?;
        let data: Properties = p.data.into_iter().collect();
        self.in_workspace(cx, p.workspace, pointer_in_data, move |workspace, cancel| {
            let now = Timestamp::now();
            workspace
                .create(kind, &data, &p.body, &canvas, now, cancel)
                .map(|changed| convert_changed(&changed))
        })
        .await
    }

    async fn update_entity(
        &self,
        cx: &Context,
        p: project::UpdateEntity,
    ) -> Result<project::UpdateEntityResult> {
        let data: Properties = p.data.into_iter().collect();
        let canvas = canvas_plan(p.options)?;
        self.in_workspace(cx, p.workspace, pointer_in_data, move |workspace, cancel| {
            let id = workspace.find_id(&p.id, cancel)?;
            let if_match = p.if_match.as_deref().map(Etag::from);
            let now = Timestamp::now();
            workspace
                .update(id, &data, if_match.as_ref(), &canvas, now, cancel)
                .map(|changed| convert_changed(&changed))
        })
        .await
    }

    async fn get_entity(
        &self,
        cx: &Context,
        p: project::GetEntity,
    ) -> Result<project::GetEntityResult> {
        self.in_workspace(cx, p.workspace, pointer_in_fields, move |workspace, cancel| {
            let id = workspace.find_id(&p.id, cancel)?;
            let entity = workspace.get(id, &new_selection(&p.fields), cancel)?;
            Ok(entity.into_iter().collect())
        })
        .await
    }

    async fn batch_update(
        &self,
        cx: &Context,
        p: project::BatchUpdate,
    ) -> Result<project::BatchUpdateResult> {
        let operations = batch::convert_operations(p.ops);
        let principal = cx.principal().to_string();
        let options = match p.options {
            Some(options) => BatchOptions {
                atomic: options.atomic,
                canvas: parse_canvas(
                    options.add_to_canvas,
                    options.remove_from_canvas,
                    options.canvas_source.as_deref(),
                )?,
                principal,
                batch_id: options.batch_id,
            },
            None => BatchOptions { principal, ..BatchOptions::default() },
        };
        self.in_workspace(cx, p.workspace, no_argument, move |workspace, cancel| {
            let outcome = workspace.batch(&operations, &options, Timestamp::now(), cancel)?;
            let names: Vec<String> =
                operations.into_iter().map(|operation| operation.client_id).collect();
            Ok(batch::convert_outcome(outcome, &names))
        })
        .await
    }

    async fn search_entities(
        &self,
        cx: &Context,
        p: project::SearchEntities,
    ) -> Result<Page<project::SearchEntitiesResult>> {
        if p.query.is_some() && p.from_id.is_some() {
            let message = "A search starts from words or from an entity, not from both.";
            return Err(Fault::validation(message)
                .with_path("/from_id")
                .expecting("query or from_id"));
        }
        self.in_workspace(cx, p.workspace.clone(), pointer_in_search, move |workspace, cancel| {
            search::search(workspace, p, cancel)
        })
        .await
    }

    async fn get_project_overview(
        &self,
        cx: &Context,
        p: project::GetProjectOverview,
    ) -> Result<Page<project::GetProjectOverviewResult>> {
        let of_canvas = || self.find_workspace_of_canvas(cx, p.canvas_source.as_deref()?);
        let name = p.workspace.clone().or_else(of_canvas);
        self.in_workspace(cx, name, pointer_in_overview, move |workspace, cancel| {
            state::overview_page(workspace, &p, cancel)
        })
        .await
    }

    async fn analyze_project_state(
        &self,
        cx: &Context,
        p: project::AnalyzeProjectState,
    ) -> Result<project::AnalyzeProjectStateResult> {
        self.in_workspace(cx, p.workspace.clone(), no_argument, move |workspace, cancel| {
            let stale_after = SignedDuration::from_hours(p.stale_after_days * 24);
            let workstream = p.workstream.as_deref();
            let analysis = workspace.analyze(Timestamp::now(), stale_after, workstream, cancel)?;
            Ok(state::convert_analysis(analysis, &p))
        })
        .await
    }

    async fn decision_history(
        &self,
        cx: &Context,
        p: project::DecisionHistory,
    ) -> Result<project::DecisionHistoryResult> {
        self.in_workspace(cx, p.workspace, no_argument, move |workspace, cancel| {
            let filter = DecisionFilter {
                topic: p.topic,
                workstream: p.workstream,
                include_superseded: p.include_superseded,
                include_archived: p.include_archived,
            };
            let ids = workspace.decision_history(&filter, cancel)?;
            Ok(documents::decisions(workspace.project(cancel)?.as_ref(), &ids))
        })
        .await
    }

    async fn supersede_document(
        &self,
        cx: &Context,
        p: project::SupersedeDocument,
    ) -> Result<project::SupersedeDocumentResult> {
        self.in_workspace(cx, p.workspace, pointer_in_document, move |workspace, cancel| {
            let id = workspace.find_id(&p.document_id, cancel)?;
            let decision = p.decision_id.as_deref().map(|id| workspace.find_id(id, cancel));
            let decision = decision.transpose().map_err(|error| ProjectError::InvalidField {
                field: "decisions".to_owned(),
                reason: error.to_string(),
            })?;
            let version = NewVersion {
                content: p.new_content.as_deref(),
                change_summary: p.change_summary.as_deref(),
                decision,
            };
            let now = Timestamp::now();
            workspace
                .supersede_document(id, &version, now, cancel)
                .map(|changed| convert_changed(&changed))
        })
        .await
    }

    async fn document_history(
        &self,
        cx: &Context,
        p: project::DocumentHistory,
    ) -> Result<project::DocumentHistoryResult> {
        self.in_workspace(cx, p.workspace, pointer_in_document, move |workspace, cancel| {
            let id = workspace.find_id(&p.document_id, cancel)?;
            let ids = workspace.document_history(id, cancel)?;
            Ok(documents::versions(workspace.project(cancel)?.as_ref(), &ids))
        })
        .await
    }

    async fn check_freshness(
        &self,
        cx: &Context,
        p: project::CheckFreshness,
    ) -> Result<project::CheckFreshnessResult> {
        self.in_workspace(cx, p.workspace, pointer_in_document, move |workspace, cancel| {
            let document = p.document_id.as_deref();
            let document = document.map(|id| workspace.find_id(id, cancel)).transpose()?;
            let checked = workspace.check_freshness(document, cancel)?;
            Ok(documents::freshness(workspace.project(cancel)?.as_ref(), checked))
        })
        .await
    }

    async fn adopt(&self, cx: &Context, p: project::Adopt) -> Result<project::AdoptResult> {
        self.in_workspace(cx, p.workspace, no_argument, move |workspace, cancel| {
            let note = |adopted: Adopted| types::AdoptedNote {
                path: adopted.path.to_string(),
                r#type: names::from_kind(adopted.kind),
                id: adopted.id.to_string(),
            };
            let adopted = workspace.adopt(p.apply, cancel)?;
            let notes = adopted.into_iter().map(note).collect();
            Ok(types::Adoption { notes, applied: p.apply })
        })
        .await
    }

    async fn write_view(
        &self,
        cx: &Context,
        p: project::WriteView,
    ) -> Result<project::WriteViewResult> {
        self.in_workspace(cx, p.workspace, pointer_in_text, move |workspace, cancel| {
            let path = VaultPath::parse(&p.path).map_err(VaultError::from)?;
            let view = match p.view {
                types::ViewKind::Base => View::Base,
                types::ViewKind::Kanban => View::Kanban,
            };
            workspace
                .write_view(&path, view, cancel)
                .map(|written| files::convert_written(&written))
        })
        .await
    }

    async fn read_docs(
        &self,
        cx: &Context,
        p: project::ReadDocs,
    ) -> Result<project::ReadDocsResult> {
        if p.section.is_some() && (p.lines.is_some() || p.from_line.is_some()) {
            let message = "A part is given by section or by lines, not by both.";
            return Err(Fault::validation(message).with_path("/lines"));
        }
        let most = usize::try_from(cx.result_bytes()).unwrap_or(usize::MAX);
        self.in_workspace(cx, p.workspace.clone(), pointer_in_text, move |workspace, cancel| {
            files::read_note(workspace, &p, most, cancel)
        })
        .await
    }

    async fn update_doc(
        &self,
        cx: &Context,
        p: project::UpdateDoc,
    ) -> Result<project::UpdateDocResult> {
        use project::UpdateDocMode as Mode;
        let takes_lines = matches!(p.mode, Mode::InsertAt | Mode::ReplaceAt);
        if takes_lines && p.start_line.is_none() {
            let message = "The mode needs the line.";
            return Err(Fault::validation(message)
                .with_path("/start_line")
                .expecting("a line, from 1"));
        }
        if p.section.is_some() && (takes_lines || p.mode == Mode::Create) {
            let message = "A section can be replaced or appended to; `create` makes a whole note.";
            return Err(Fault::validation(message).with_path("/mode").expecting("replace|append"));
        }
        self.in_workspace(cx, p.workspace.clone(), pointer_in_text, move |workspace, cancel| {
            files::update_note(workspace, p, cancel)
        })
        .await
    }

    async fn list_workspaces(
        &self,
        cx: &Context,
        _: project::ListWorkspaces,
    ) -> Result<project::ListWorkspacesResult> {
        let workspaces = Arc::clone(&self.vault(cx)?.workspaces);
        cx.blocking(move |cancel| {
            let listed = workspaces
                .iter()
                .enumerate()
                .map(|(number, workspace)| describe_workspace(number, workspace, cancel));
            let workspaces: toolwrit_project::Result<_> = listed.collect();
            Ok(types::ProjectWorkspaces { workspaces: workspaces.map_err(project_fault)? })
        })
        .await
    }

    async fn list_files(
        &self,
        cx: &Context,
        p: project::ListFiles,
    ) -> Result<Page<project::ListFilesResult>> {
        self.in_workspace(cx, p.workspace.clone(), pointer_in_text, move |workspace, cancel| {
            files::list_files(workspace, &p, cancel)
        })
        .await
    }
}

impl Vaults {
    /// Runs blocking work on a workspace, outside the async threads. `find_argument` says which argument an
    /// error is about.
    async fn in_workspace<T: Send + 'static>(
        &self,
        cx: &Context,
        name: Option<String>,
        find_argument: FindArgument,
        work: impl FnOnce(&Workspace, CancelCheck<'_>) -> toolwrit_project::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (vault, author) = (self.vault(cx)?.vault.clone(), author(cx));
        let workspaces = Arc::clone(&self.vault(cx)?.workspaces);
        cx.blocking(move |cancel| {
            let workspace = workspaces.find_by_name(name.as_deref()).map_err(project_fault)?;
            let (done, _) = vault.record(author, || work(workspace, cancel));
            done.map_err(|error| match find_argument(&error) {
                Some(pointer) => project_fault(error).with_path(pointer),
                None => project_fault(error),
            })
        })
        .await
    }
}

impl Vaults {
    /// The name of the workspace whose folder has a canvas.
    fn find_workspace_of_canvas(&self, cx: &Context, canvas: &str) -> Option<String> {
        let path = VaultPath::parse(canvas).ok()?;
        let mut workspaces = self.vault(cx).ok()?.workspaces.iter();
        let found = workspaces.find(|workspace| path.is_below(workspace.folder()));
        found.map(|workspace| workspace.name().to_owned())
    }
}

/// What happens with a canvas in a call about one entity.
fn canvas_plan(options: Option<types::CanvasOptions>) -> Result<CanvasPlan> {
    let Some(options) = options else { return Ok(CanvasPlan::default()) };
    let path = options.canvas_source.as_deref();
    parse_canvas(options.add_to_canvas, options.remove_from_canvas, path)
}

fn parse_canvas(add: bool, remove: bool, source: Option<&str>) -> Result<CanvasPlan> {
    match (add || remove, source) {
        (false, _) => Ok(CanvasPlan::default()),
        (true, Some(path)) => match VaultPath::parse(path) {
            Ok(path) => Ok(CanvasPlan { path: Some(path), add, remove }),
            Err(error) => Err(fault(error.into()).with_path("/options/canvas_source")),
        },
        (true, None) => {
            Err(Fault::validation("`add_to_canvas` and `remove_from_canvas` need the canvas.")
                .with_path("/options/canvas_source")
                .expecting("the path of a canvas, such as Projects/Plan.canvas"))
        }
    }
}

fn convert_changed(changed: &Changed) -> types::ChangedEntity {
    types::ChangedEntity {
        id: changed.id.to_string(),
        path: changed.path.to_string(),
        etag: changed.etag.to_string(),
    }
}

fn new_selection(fields: &[String]) -> Selection {
    Selection::from_names(&fields.iter().map(String::as_str).collect::<Vec<_>>())
}

fn describe_workspace(
    number: usize,
    workspace: &Workspace,
    cancel: CancelCheck<'_>,
) -> toolwrit_project::Result<types::ProjectWorkspace> {
    let project = workspace.project(cancel)?;
    Ok(types::ProjectWorkspace {
        name: workspace.name().to_owned(),
        folder: workspace.folder().to_string(),
        default: number == 0,
        entities: to_integer(project.entities().count()),
        problems: to_integer(project.problems().len()),
    })
}
