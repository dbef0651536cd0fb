//! The row of each operation.

use toolwrit_core::authority::{Deprecation, Example, Operation, PageSizes, Returns, Served};
use toolwrit_manifest::{self as manifest, OperationId, example, signature, wire};

use crate::fields::Fields;
use crate::rows::{Rows, position};
use crate::search::analysis;

impl<'a> Rows<'_, 'a> {
    /// Everything that the engine knows of an operation.
    pub(crate) fn operation(&self, fields: &mut Fields<'_, 'a>, id: OperationId) -> Operation<'a> {
        let Rows { model, arena } = *self;
        let own = &model[id];
        let example = example::example(model, own);
        Operation {
            id: arena.text(&own.id),
            name: arena.text(&own.name),
            wire_name: arena.text(&model.wire_name(own)),
            category: position(own.category.index()),
            summary: arena.text(&own.summary),
            description: self.optional(own.description.as_deref()),
            effect: own.effect,
            is_assumed: false,
            idempotent: own.idempotent,
            open_world: own.uses_network(),
            is_world_assumed: own.open_world.is_none(),
            overwrites: own.overwrites,
            inputs: fields.table(&model.inputs(own)),
            input_schema: arena.text(&wire::input_schema(model, own)),
            returns: self.returns(own),
            returns_tool_result: false,
            served: self.served(&own.served),
            signature: arena.text(&signature::signature(model, own)),
            example: example.map(|args| self.json(&args.into())),
            examples: arena.list(own.examples.iter().map(|example| self.example(example))),
            analysis: arena.list(analysis(model, own)),
            found_by: None,
            asks: self.texts(&own.asks),
            tags: self.texts(&own.tags),
            aliases: arena.list(own.aliases.iter().map(|alias| self.alias(alias))),
            deprecated: own.deprecated.as_ref().map(|old| self.deprecation(old)),
            select: own.select,
            page: own.page.map(page),
            cache: own.cache.map(|cache| cache.period),
            shared_cache: own.cache.is_some_and(|cache| cache.shared),
            invalidates: arena.list(own.invalidates.iter().map(|id| position(id.index()))),
            timeout: own.timeout,
            retry: own.retry,
            concurrency: own.concurrency,
            result_bytes: model.result_bytes(own),
            requires: own.requires.map(|provider| position(provider.index())),
            errors: arena.list(own.errors.iter().map(|id| position(id.index()))),
            confirm: own.confirm,
            dry_run: own.dry_run,
            task: own.task,
            builtin: own.builtin,
            binding: own.binding.as_ref().map(|binding| self.json(&binding.table)),
            joined: None,
        }
    }

    fn returns(&self, own: &manifest::Operation) -> Returns<'a> {
        let schema = wire::output_schema(self.model, own).unwrap_or_default();
        match &own.returns {
            manifest::Returns::Text => Returns::Text,
            manifest::Returns::Content => Returns::Content,
            manifest::Returns::Resource => Returns::Resource,
            manifest::Returns::Messages => Returns::Messages,
            manifest::Returns::Value(_) if self.model.returns_object(own) => {
                Returns::Object(self.arena.text(&schema))
            }
            manifest::Returns::Value(_) => Returns::Wrapped(self.arena.text(&schema)),
        }
    }

    fn served(&self, served: &manifest::Served) -> Served<'a> {
        match served {
            manifest::Served::Tool => Served::Tool,
            manifest::Served::Resource(id) => Served::Resource(position(id.index())),
            manifest::Served::Prompt(id) => Served::Prompt(position(id.index())),
            manifest::Served::Completion { of, argument } => {
                Served::Completion { of: position(of.index()), argument: self.arena.text(argument) }
            }
        }
    }

    fn example(&self, example: &manifest::Example) -> Example<'a> {
        Example {
            args: self.json(&example.args.clone().into()),
            note: self.optional(example.note.as_deref()),
        }
    }

    fn deprecation(&self, old: &manifest::Deprecation) -> Deprecation<'a> {
        let replacement = old.replacement.map(|id| self.model[id].id.as_str());
        Deprecation {
            since: self.optional(old.since.as_deref()),
            replacement: self.optional(replacement),
            note: self.optional(old.note.as_deref()),
        }
    }
}

fn page(page: manifest::PageSizes) -> PageSizes {
    PageSizes { default: page.default, max: page.max }
}
