//! The static that holds an authority, and the tables that are not about a single operation.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use toolwrit_manifest::{Category, Cookbook, DeclaredContext, Model, Served};

use super::errors;
use super::fields::{Fields, option};
use super::json;
use super::merged;
use super::operations::{self, duration, position, prefix, text, wire_name};
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
    let resources = model.resources.iter().zip(served(model)).map(resource);
    let prompts = model.prompts.iter().zip(served(model).skip(model.resources.len())).map(prompt);
    let cookbooks = cookbooks(model);
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
    let prefix = prefix(model);
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
        quote!(Joining { category: #category, provider: #provider, most: #most })
    })
}

/// Ids, wire names, short names and aliases, sorted for binary search.
fn lookup(model: &Model) -> Vec<TokenStream> {
    let mut names = Vec::new();
    for (at, operation) in model.operations.iter().enumerate() {
        names.push((operation.id.clone(), at, None));
        if operation.served == Served::Tool {
            names.push((wire_name(model, operation), at, None));
        }
        names.extend(operation.short_name().map(|short| (short.to_owned(), at, None)));
        let aliases = operation.aliases.iter().enumerate();
        names.extend(aliases.map(|(alias, old)| (old.name.clone(), at, Some(alias))));
    }
    names.sort();
    let rows = names.into_iter().map(|(name, operation, alias)| {
        let operation = position(operation);
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
        let joining = policy::joining_of_focus(model, id);
        quote!(FocusMode { name: #name, summary: #summary, joining: #joining })
    })
}

fn roles(model: &Model) -> impl Iterator<Item = TokenStream> {
    model.role_ids().map(|id| {
        let role = &model[id];
        let name = &role.name;
        let summary = text(role.summary.as_deref());
        let persona = text(role.persona.as_deref());
        let operations = policy::of_role(model, id);
        let joining = policy::joining_of_role(model, id);
        quote! {
            Role {
                name: #name,
                summary: #summary,
                persona: #persona,
                operations: #operations,
                joining: #joining,
            }
        }
    })
}

fn contexts(model: &Model) -> impl Iterator<Item = TokenStream> {
    model.contexts.iter().map(|context| {
        let DeclaredContext { name, threshold, .. } = context;
        let keywords = context.keywords.iter().map(|k| sign(&k.sign, k.weight));
        let patterns = context.patterns.iter().map(|p| sign(p.sign.as_str(), p.weight));
        let operations = policy::of_context(model, context);
        let joining = policy::joining_of_context(model, context);
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
        let api = provider.http.as_ref().map(|http| json(&http.table));
        let api = text(api.as_deref());
        quote!(DeclaredProvider { name: #name, title: #title, summary: #summary, api: #api })
    })
}

/// The positions of the operations for resources, then of those for prompts.
fn served(model: &Model) -> impl Iterator<Item = usize> {
    let first = model.tools().count();
    first..model.operations.len()
}

fn resource((resource, operation): (&toolwrit_manifest::Resource, usize)) -> TokenStream {
    let toolwrit_manifest::Resource { name, uri, subscribe, .. } = resource;
    let title = text(resource.title.as_deref());
    let mime_type = text(resource.mime_type.as_deref());
    let operation = position(operation);
    quote! {
        Resource {
            name: #name,
            uri: #uri,
            title: #title,
            mime_type: #mime_type,
            subscribe: #subscribe,
            operation: #operation,
        }
    }
}

fn prompt((prompt, operation): (&toolwrit_manifest::Prompt, usize)) -> TokenStream {
    let name = &prompt.name;
    let title = text(prompt.title.as_deref());
    let operation = position(operation);
    quote!(Prompt { name: #name, title: #title, operation: #operation })
}

/// The cookbooks, in the order of their prompts, which come last.
fn cookbooks(model: &Model) -> Vec<TokenStream> {
    let first = model.resources.len() + model.prompts.len() - model.cookbooks.len();
    let prompts = served(model).skip(first);
    let row = |(cookbook, prompt): (&Cookbook, usize)| {
        let Cookbook { name, summary, text, .. } = cookbook;
        let operations = cookbook.operations.iter().map(|id| position(id.index()));
        let prompt = position(prompt);
        quote! {
            Cookbook {
                name: #name,
                summary: #summary,
                text: #text,
                operations: &[#(#operations),*],
                prompt: #prompt,
            }
        }
    };
    model.cookbooks.iter().zip(prompts).map(row).collect()
}
