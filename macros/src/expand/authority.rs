//! The static that holds an authority, and the tables that are not about a single operation.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use toolwrit_manifest::policy::sets;
use toolwrit_manifest::{
    Category, Cookbook, CookbookId, DeclaredContext, Model, OperationId, OperationName, PromptId,
    ResourceId,
};

use super::errors;
use super::fields::{Fields, option};
use super::json;
use super::merged;
use super::operations::{self, duration, position, text};
use super::policy;
use crate::tracking::Tracked;

/// `static TABLES` and its parts. Each operation is a constant of its own, because one large body would
/// take more than linear compile time.
pub(super) fn tables(model: &Model, files: &[Tracked]) -> TokenStream {
    let mut fields = Fields::new(model);
    let declared = fields.declared();
    let rows = model.operation_ids().map(|id| operations::row(model, &mut fields, id));
    let rows: Vec<_> = rows.collect();
    let operations: Vec<_> = (0..rows.len()).map(|at| format_ident!("OPERATION_{at}")).collect();
    let mentioned = fields.mentioned();
    let server = server(model);
    let budget = budget(model);
    let concurrency = model.limits.concurrency;
    let timeout = duration(model.limits.timeout);
    let session_calls = option(model.limits.session_calls.map(|most| quote!(#most)));
    let categories = model.categories.iter().map(category);
    let joining = joining(model);
    let lookup = lookup(model);
    let merged = model.merged.iter().map(|tool| merged::tool(model, tool));
    let removed = model.removed.iter().map(merged::removed);
    let focus = focus(model);
    let roles = roles(model);
    let policy = policy::table(model);
    let contexts = contexts(model);
    let providers = providers(model);
    let errors = errors::rows(model);
    let resources = model.resource_ids().map(|id| resource(model, id));
    let prompts = model.prompt_ids().map(|id| prompt(model, id));
    let cookbooks = model.cookbook_ids().map(|id| cookbook(model, id));
    let sources = files.iter().map(Tracked::source);
    quote! {
        static TABLES: Tables = Tables {
            server: #server,
            budget: #budget,
            concurrency: #concurrency,
            timeout: #timeout,
            session_calls: #session_calls,
            categories: &[#(#categories),*],
            joining: &[#(#joining),*],
            merged_tools: &[#(#merged),*],
            removed_tools: &[#(#removed),*],
            operations: &[#(#operations),*],
            names: &[#(#lookup),*],
            focus: &[#(#focus),*],
            roles: &[#(#roles),*],
            policy: #policy,
            contexts: &[#(#contexts),*],
            providers: &[#(#providers),*],
            errors: &[#(#errors),*],
            resources: &[#(#resources),*],
            prompts: &[#(#prompts),*],
            cookbooks: &[#(#cookbooks),*],
            sources: &[#(#sources),*],
        };
        #(const #operations: Operation = #rows;)*
        #declared
        #mentioned
    }
}

fn server(model: &Model) -> TokenStream {
    let name = &model.server.name;
    let title = text(model.server.title.as_deref());
    let instructions = text(model.server.instructions.as_deref());
    let prefix = model.wire_prefix();
    let logging = model.server.logging;
    quote! {
        ServerInfo {
            name: #name,
            title: #title,
            version: ::std::env!("CARGO_PKG_VERSION"),
            instructions: #instructions,
            prefix: #prefix,
            logging: #logging,
        }
    }
}

fn budget(model: &Model) -> TokenStream {
    let [flat, dispatch, meta] = [model.budget.flat, model.budget.dispatch, model.budget.meta]
        .map(|tokens| option(tokens.map(|tokens| quote!(#tokens))));
    quote!(Budget { flat: #flat, dispatch: #dispatch, meta: #meta })
}

fn category(category: &Category) -> TokenStream {
    let Category { name, title, summary, keywords, wire_name, direct, .. } = category;
    quote! {
        Category {
            name: #name,
            title: #title,
            summary: #summary,
            keywords: &[#(#keywords),*],
            wire_name: #wire_name,
            direct: #direct,
        }
    }
}

/// Which providers may add operations to which categories.
fn joining(model: &Model) -> impl Iterator<Item = TokenStream> {
    model.joining().map(|joining| {
        let category = position(joining.category.index());
        let provider = position(joining.provider.index());
        let most = operations::effect(joining.most);
        quote!(Joining { category: #category, provider: #provider, most: #most, whole: false })
    })
}

/// Ids, wire names, short names and aliases, sorted for binary search.
fn lookup(model: &Model) -> Vec<TokenStream> {
    let rows =
        model.operation_names().into_iter().map(|OperationName { name, operation, alias }| {
            let operation = position(operation.index());
            let alias = option(alias.map(position));
            quote!(Name { name: #name, operation: #operation, alias: #alias })
        });
    rows.collect()
}

fn focus(model: &Model) -> impl Iterator<Item = TokenStream> {
    model.focus_ids().map(|id| {
        let mode = &model[id];
        let name = &mode.name;
        let summary = text(mode.summary.as_deref());
        let joining = policy::joining(&sets::joining_of_focus(model, id));
        let added = sets::added_of_focus(model, id);
        quote!(FocusMode { name: #name, summary: #summary, joining: #joining, added: #added })
    })
}

fn roles(model: &Model) -> impl Iterator<Item = TokenStream> {
    model.role_ids().map(|id| {
        let role = &model[id];
        let name = &role.name;
        let summary = text(role.summary.as_deref());
        let persona = text(role.persona.as_deref());
        let operations = policy::operations(&sets::of_role(model, id));
        let joining = policy::joining(&sets::joining_of_role(model, id));
        let added = sets::added_of_role(model, id);
        quote! {
            Role {
                name: #name,
                summary: #summary,
                persona: #persona,
                operations: #operations,
                joining: #joining,
                added: #added,
            }
        }
    })
}

fn contexts(model: &Model) -> impl Iterator<Item = TokenStream> {
    model.contexts.iter().map(|context| {
        let DeclaredContext { name, threshold, .. } = context;
        let keywords = context.keywords.iter().map(|k| sign(&k.sign, k.weight));
        let patterns = context.patterns.iter().map(|p| sign(p.sign.as_str(), p.weight));
        let operations = policy::operations(&sets::of_context(model, context));
        let joining = policy::joining(&sets::joining_of_context(model, context));
        quote! {
            DeclaredContext {
                name: #name,
                keywords: &[#(#keywords),*],
                patterns: &[#(#patterns),*],
                threshold: #threshold,
                operations: #operations,
                joining: #joining,
            }
        }
    })
}

fn sign(text: &str, weight: f64) -> TokenStream {
    quote!(Sign { text: #text, weight: #weight })
}

fn providers(model: &Model) -> impl Iterator<Item = TokenStream> {
    model.providers.iter().map(|provider| {
        let toolwrit_manifest::Provider { name, title, summary, .. } = provider;
        let binding = provider.binding.as_ref().map(|binding| json(&binding.table));
        let binding = text(binding.as_deref());
        quote! {
            DeclaredProvider { name: #name, title: #title, summary: #summary, binding: #binding }
        }
    })
}

fn resource(model: &Model, id: ResourceId) -> TokenStream {
    let toolwrit_manifest::Resource { name, uri, subscribe, .. } = &model[id];
    let title = text(model[id].title.as_deref());
    let mime_type = text(model[id].mime_type.as_deref());
    let operation = found(model.reader_of(id));
    quote! {
        Resource {
            name: #name,
            uri: #uri,
            title: #title,
            description: ::core::option::Option::None,
            mime_type: #mime_type,
            subscribe: #subscribe,
            operation: #operation,
        }
    }
}

fn prompt(model: &Model, id: PromptId) -> TokenStream {
    let name = &model[id].name;
    let title = text(model[id].title.as_deref());
    let template = text(model[id].template());
    let operation = found(model.renderer_of(id));
    quote! {
        Prompt {
            name: #name,
            title: #title,
            description: ::core::option::Option::None,
            arguments: ::core::option::Option::None,
            template: #template,
            operation: #operation,
        }
    }
}

fn cookbook(model: &Model, id: CookbookId) -> TokenStream {
    let Cookbook { name, summary, text, .. } = &model[id];
    let operations = model[id].operations.iter().map(|id| position(id.index()));
    let prompt = found(model.prompt_of(id).and_then(|prompt| model.renderer_of(prompt)));
    quote! {
        Cookbook {
            name: #name,
            summary: #summary,
            text: #text,
            operations: &[#(#operations),*],
            prompt: #prompt,
        }
    }
}

/// The position of the operation of a resource or a prompt. Only an invalid manifest, whose code does not compile,
/// has none.
fn found(operation: Option<OperationId>) -> TokenStream {
    position(operation.map_or(0, OperationId::index))
}
