//! Resources in rmcp's types.

use rmcp::model::{ReadResourceResult, Resource, ResourceTemplate};
use serde_json::Value;

use crate::endpoint::{Endpoint, Request};
use toolwrit_core::authority;
use toolwrit_core::dialogue::Interrupt;
use toolwrit_core::fault::Fault;

/// Lists the resources without variables.
pub(super) fn resources(endpoint: &Endpoint) -> Vec<Resource> {
    let listed = endpoint.resources().filter(|(row, _)| !row.is_template());
    let described = listed.map(|(row, operation)| {
        let mut resource = Resource::new(row.uri.as_str(), row.name.as_str())
            .with_description(row.description.as_ref().unwrap_or(&operation.summary));
        resource.title.clone_from(&row.title);
        resource.mime_type.clone_from(&row.mime_type);
        resource
    });
    described.collect()
}

/// Lists the resource templates: those with variables.
pub(super) fn templates(endpoint: &Endpoint) -> Vec<ResourceTemplate> {
    let listed = endpoint.resources().filter(|(row, _)| row.is_template());
    let described = listed.map(|(row, operation)| {
        let mut template = ResourceTemplate::new(row.uri.as_str(), row.name.as_str())
            .with_description(row.description.as_ref().unwrap_or(&operation.summary));
        template.title.clone_from(&row.title);
        template.mime_type.clone_from(&row.mime_type);
        template
    });
    described.collect()
}

pub(super) async fn read(
    endpoint: &Endpoint,
    uri: &str,
    request: Request,
) -> Result<ReadResourceResult, Interrupt> {
    let (resource, contents) = endpoint.read(uri, request).await?;
    let contents = match contents {
        // A provider may return several, with their URIs.
        contents @ Value::Array(_) => contents,
        contents => Value::Array(vec![labelled(contents, uri, resource)]),
    };
    let contents = serde_json::from_value(contents);
    Ok(ReadResourceResult::new(contents.map_err(|error| Fault::internal(error.to_string()))?))
}

/// Adds the requested URI, and the manifest's MIME type unless the contents have their own.
fn labelled(mut contents: Value, uri: &str, resource: &authority::Resource) -> Value {
    contents["uri"] = uri.into();
    if let (Some(mime_type), None) = (resource.mime_type.as_deref(), contents.get("mimeType")) {
        contents["mimeType"] = mime_type.into();
    }
    contents
}
