//! The problems of a manifest, as the compiler of the language finds them.

use std::path::Path;

use gen_lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Range, Uri,
};
use toolwrit_manifest::{Place, Problem, Severity, Sources, load_edited};

use crate::answers;
use crate::documents::Documents;
use crate::text::{Encoding, Lines};

/// The problems of each file of a manifest. Files without problems are among them.
pub(crate) fn check_manifest(
    documents: &Documents,
    root: &str,
    encoding: Encoding,
) -> Vec<(Uri, Vec<Diagnostic>)> {
    let loaded = load_edited(Path::new(root), |path| documents.open_text(path));
    let (problems, sources): (Vec<&Problem>, &Sources) = match &loaded {
        Ok(authority) => (authority.warnings().iter().collect(), authority.sources()),
        Err(problems) => (problems.iter().collect(), problems.sources()),
    };
    let files = sources.iter().enumerate().filter_map(|(file, source)| {
        let uri = documents.uri(&source.path)?;
        let in_file = problems
            .iter()
            .filter(|problem| problem.place().is_some_and(|place| place.file == file));
        let diagnostics = in_file.map(|problem| diagnostic(documents, sources, problem, encoding));
        Some((uri, diagnostics.collect()))
    });
    files.collect()
}

fn diagnostic(
    documents: &Documents,
    sources: &Sources,
    problem: &Problem,
    encoding: Encoding,
) -> Diagnostic {
    let severity = match problem.severity() {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
    };
    let expected = problem.expected_text().map(|text| format!("\nexpected {text}"));
    let help = problem.help_text().map(|text| format!("\nhelp: {text}"));
    let message = [Some(problem.message().to_owned()), expected, help];
    let message = message.into_iter().flatten().collect();
    let range =
        problem.place().map_or(Range::default(), |place| find_range(sources, place, encoding));
    let related = problem.note_text().and_then(|(note, place)| {
        let uri = documents.uri(&sources.get(place)?.path)?;
        let location = Location { uri, range: find_range(sources, place, encoding) };
        Some(vec![DiagnosticRelatedInformation { location, message: note.to_owned() }])
    });
    Diagnostic { related_information: related, ..answers::diagnostic(range, severity, message) }
}

fn find_range(sources: &Sources, place: Place, encoding: Encoding) -> Range {
    let text = sources.get(place).map_or("", |source| source.text.as_str());
    Lines::new(text, encoding).characters(place.line, place.column, place.length)
}
