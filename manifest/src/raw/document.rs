//! The mappings of the language, as written.

use std::num::NonZeroU32;

use serde_json::Value;

use super::command::{RawCommand, RawCommands};
use super::http::{RawHttpApi, RawRequest, RawSetting, Written};
use super::mcp::{RawMcpServer, RawTool};
use super::read::{Entries, Located, mapping};
use super::scalars::{ByteSize, Period, Retries, SessionCallLimit, Threshold};
use super::unions::{
    RawAlias, RawArgument, RawCache, RawDeprecation, RawKeyword, RawPattern, RawSelector, RawShape,
    RawTask,
};
use crate::model::{Builtin, Effect};
use crate::yaml::Text;

mapping! {
    /// A tool-authority manifest: the whole tool surface of an MCP server.
    RawRoot, "the manifest" {
        /// Version of the language. Always 1.
        toolwrit: Located<u64> [required],
        /// How the server presents itself.
        server: RawServer [required],
        /// Further files, relative to this one, listed one by one.
        include: Vec<Text>,
        /// Defaults that an operation may override.
        limits: RawLimits,
        /// Limits for `tools/list`, in o200k tokens.
        budget: RawBudget,
        /// Declared types, by their `UpperCamel` name.
        types: Entries<RawShape>,
        /// Categories of operations.
        categories: Entries<RawCategory>,
        /// Focus modes: which operations a task needs. The first is the default.
        focus: Entries<RawFocus>,
        /// Roles: what a principal may do at all. The first is the default.
        roles: Entries<RawRole>,
        /// Contexts: subjects of messages, and the operations that are then relevant.
        contexts: Entries<RawContext>,
        /// Providers: external services that some operations need.
        providers: Entries<RawProvider>,
        /// Error codes that the author declares, in `SCREAMING_SNAKE_CASE`.
        errors: Entries<RawError>,
        /// Further verbs for searches, by what they ask for: `restore`, `delete`, `create`, `update` or `read`. `*` stands for
        /// up to three words.
        verbs: Entries<Vec<Text>>,
        /// What people ask for that no operation does, so that a search can say so.
        gaps: Vec<RawGap>,
        /// Operations, by their id `category.name`; the name may have more segments.
        operations: Entries<RawOperation>,
        /// Tools that each stand for several operations on the flat surface, by their name on the wire.
        tools: Entries<RawMergedTool>,
        /// Names of tools that are gone, also as `name(parameter: value)` or `name(parameter)`, each with what to use instead.
        removed: Entries<RawRemovedTool>,
        /// MCP resources and resource templates.
        resources: Entries<RawResource>,
        /// MCP prompts.
        prompts: Entries<RawPrompt>,
        /// Cookbooks: guides to common tasks, which are prompts, too.
        cookbooks: Entries<RawCookbook>,
    }

    /// A file listed under `include`. Server, limits, focus modes and roles are only in the root
    /// file, so that one file shows who may do what.
    RawIncluded, "an included file" {
        /// Version of the language. Always 1.
        toolwrit: Located<u64>,
        /// Declared types, by their `UpperCamel` name.
        types: Entries<RawShape>,
        /// Categories of operations.
        categories: Entries<RawCategory>,
        /// Contexts: subjects of messages, and the operations that are then relevant.
        contexts: Entries<RawContext>,
        /// Providers: external services that some operations need.
        providers: Entries<RawProvider>,
        /// Error codes that the author declares, in `SCREAMING_SNAKE_CASE`.
        errors: Entries<RawError>,
        /// Operations, by their id `category.name`; the name may have more segments.
        operations: Entries<RawOperation>,
        /// Tools that each stand for several operations on the flat surface, by their name on the wire.
        tools: Entries<RawMergedTool>,
        /// Names of tools that are gone, also as `name(parameter: value)` or `name(parameter)`, each with what to use instead.
        removed: Entries<RawRemovedTool>,
        /// MCP resources and resource templates.
        resources: Entries<RawResource>,
        /// MCP prompts.
        prompts: Entries<RawPrompt>,
        /// Cookbooks: guides to common tasks, which are prompts, too.
        cookbooks: Entries<RawCookbook>,
    }

    /// How the server presents itself.
    RawServer, "`server`" {
        /// Programmatic name, for example `toolwrit-vault`.
        name: Text [required],
        /// Name for people.
        title: Text,
        /// What people gain from it, in one sentence.
        summary: Text,
        /// Instructions for the model.
        instructions: Text,
        /// The prefix of every tool name, joined with `_`.
        prefix: Text,
        /// The first word of the environment variables that set the server's flags, joined with `_`. The name in capitals unless
        /// given.
        env: Text,
        /// Handlers send log messages to clients that ask for them.
        logging: Located<bool>,
        /// The generated Rust types derive serde's `Serialize` and `Deserialize`.
        serde: Located<bool>,
    }

    /// Defaults for every operation.
    RawLimits, "`limits`" {
        /// How long a handler may run. 30s unless given.
        timeout: Located<Period>,
        /// How many handlers may run at once. 16 unless given.
        concurrency: Located<NonZeroU32>,
        /// A larger result is truncated. 256KiB unless given.
        result_bytes: Located<ByteSize>,
        /// How many calls a session may make, or a caller in an hour if there are no sessions. The
        /// default, -1, is no limit.
        session_calls: Located<SessionCallLimit>,
    }

    /// Limits for `tools/list`, in o200k tokens.
    RawBudget, "`budget`" {
        /// For the flat surface.
        flat: Located<NonZeroU32>,
        /// For the dispatch surface.
        dispatch: Located<NonZeroU32>,
        /// For the meta surface.
        meta: Located<NonZeroU32>,
    }

    /// A category of operations.
    RawCategory, "a category" {
        /// For people. The name with a capital letter unless given.
        title: Text,
        /// One sentence, at most 100 characters.
        summary: Text [required],
        /// The words that people use for its subject.
        keywords: Vec<Text>,
        /// Synonyms: words of its texts, each with other words for the same, such as `pull request:
        /// [PR, merge request]`. A search for one finds the other.
        synonyms: Entries<Vec<Text>>,
        /// Its name on the wire, if it is not to be its own name.
        tool: Text,
        /// Its operations stay plain tools on the dispatch surface.
        direct: Located<bool>,
        /// The application may serve several instances of what its operations are about. This is the parameter with which a
        /// call selects one. It exists while there is more than one.
        instance: Text,
        /// The providers that may add operations to it at run time, each with the strongest effect
        /// that these operations may have.
        providers: Entries<Option<Located<Effect>>>,
    }

    /// A focus mode. Deny overrides allow; what is not listed is not allowed.
    RawFocus, "a focus mode" {
        /// One sentence, at most 100 characters.
        summary: Text,
        /// What it allows.
        allow: Vec<RawSelector>,
        /// What it denies, even if it is allowed above.
        deny: Vec<RawSelector>,
    }

    /// A role. Deny overrides allow; what is not listed is not allowed.
    RawRole, "a role" {
        /// One sentence, at most 100 characters.
        summary: Text,
        /// A role whose rules are added to this one's.
        extends: Text,
        /// What it allows.
        allow: Vec<RawSelector>,
        /// What it denies, even if it is allowed above.
        deny: Vec<RawSelector>,
        /// Instructions for a model in this role.
        persona: Text,
    }

    /// A subject of messages. It has at least one of `subjects`, `keywords` and `patterns`.
    RawContext, "a context" {
        /// Words and phrases for what messages ask about. They count close behind a verb or a question word, or at the start of
        /// a short message.
        subjects: Vec<RawKeyword>,
        /// Words and phrases that indicate the subject anywhere in a message.
        keywords: Vec<RawKeyword>,
        /// Regular expressions, RE2 style, that indicate the subject.
        patterns: Vec<RawPattern>,
        /// The lowest confidence at which a message is about it. 0.5 unless given.
        threshold: Located<Threshold>,
        /// The relevant operations.
        include: Vec<RawSelector> [required],
    }

    /// An external service that some operations need.
    RawProvider, "a provider" {
        /// For people. The name with a capital letter unless given.
        title: Text,
        /// One sentence, at most 100 characters.
        summary: Text [required],
        /// What the operator says about it. A key that ends in `?` may be missing.
        settings: Written<Entries<RawSetting>>,
        /// It is an HTTP API to which operations are bound.
        http: Written<RawHttpApi>,
        /// Operations are bound to commands of the server's machine. Only in the root file.
        command: Written<RawCommands>,
        /// It is another MCP server, to whose tools operations are bound.
        mcp: Written<RawMcpServer>,
    }

    /// An error with a code of its own.
    RawError, "an error" {
        /// One sentence, at most 100 characters.
        summary: Text [required],
        /// What a caller can do about it.
        hint: Text,
        /// The same call may succeed later.
        retryable: Located<bool>,
    }

    /// An operation of the server.
    RawOperation, "an operation" {
        /// One sentence, at most 100 characters.
        summary: Text [required unless builtin],
        /// Longer text for describe and docs, at most 1,024 characters.
        description: Text,
        /// The engine carries it out, with its own effect, parameters and result.
        builtin: Located<Builtin>,
        /// It is a request to the HTTP API of a provider, and has no handler.
        http: Written<RawRequest>,
        /// It is a command of the server's machine, and has no handler. Only in the root file.
        command: Written<RawCommand>,
        /// It is a tool of another MCP server, and has no handler.
        mcp: Written<RawTool>,
        /// What it may change.
        effect: Located<Effect> [required unless builtin],
        /// Calling it twice has the same effect as calling it once. True for reads unless given.
        idempotent: Located<bool>,
        /// It uses the network. A bound operation may, unless given.
        open_world: Located<bool>,
        /// A write that may replace content.
        overwrites: Located<bool>,
        /// Parameters. A key that ends in `?` is optional.
        params: Entries<RawShape>,
        /// The type of the result, or `content`: text, images, audio and resources. Plain text when
        /// absent.
        returns: RawShape,
        /// Adds `fields`, which reduces the result to the named fields.
        select: Located<bool>,
        /// Adds `limit` and `cursor`, which page through the result.
        page: RawPage,
        /// How long an answer may be reused. Reads only.
        cache: RawCache,
        /// Further categories whose cached answers a call invalidates. Not for reads.
        invalidates: Vec<Text>,
        /// How long the handler may run.
        timeout: Located<Period>,
        /// How often to retry, 1 to 5, after a server that this one calls has failed. Only for
        /// idempotent operations.
        retry: Located<Retries>,
        /// How many calls may run at once.
        concurrency: Located<NonZeroU32>,
        /// A larger result is truncated.
        result_bytes: Located<ByteSize>,
        /// The provider that it needs.
        requires: Text,
        /// Declared errors with which it may fail.
        errors: Vec<Text>,
        /// The caller must confirm the call. Required if the effect is `destroy`.
        confirm: Located<bool>,
        /// Adds `dry_run`, which reports what would happen.
        dry_run: Located<bool>,
        /// It may continue after its call was answered, as an MCP task.
        task: RawTask,
        /// Older names that still work.
        aliases: Vec<RawAlias>,
        /// It is deprecated.
        deprecated: RawDeprecation,
        /// How people ask for it.
        asks: Vec<Text>,
        /// Valid calls.
        examples: Vec<RawExample>,
        /// Free labels for selectors.
        tags: Vec<Text>,
        /// Its name on the flat surface, if it is not to be `category_operation`.
        tool: Text,
    }

    /// A tool that stands for several operations on the flat surface. One of its parameters says which.
    RawMergedTool, "a merged tool" {
        /// For people. The name with a capital letter unless given.
        title: Text,
        /// One sentence, at most 100 characters.
        summary: Text [required],
        /// The parameter that names the operation to run.
        by: Text [required],
        /// The values of that parameter, each with the id of its operation.
        operations: Entries<Option<Text>> [required],
    }

    /// Something that is not offered.
    RawGap, "a gap" {
        /// What is not offered, and what to do instead.
        note: Text [required],
        /// How people ask for it.
        asks: Vec<Text> [required],
    }

    /// A name of a tool that is gone. Its calls are answered with the note.
    RawRemovedTool, "a removed tool" {
        /// What to do instead.
        note: Text [required],
        /// The operation to use instead.
        r#use: Text,
    }

    /// Page sizes, in items.
    RawPage, "`page`" {
        /// The size if `limit` is absent.
        default: Located<NonZeroU32> [required],
        /// The largest `limit`.
        max: Located<NonZeroU32> [required],
    }

    /// A valid call.
    RawExample, "an example" {
        /// The arguments.
        args: Entries<Option<Located<Value>>> [required],
        /// What it shows.
        note: Text,
    }

    /// An MCP resource, or a resource template when the URI has `{variables}`.
    RawResource, "a resource" {
        /// A URI or a URI template.
        uri: Text [required],
        /// For people.
        title: Text,
        /// One sentence, at most 100 characters.
        summary: Text [required],
        /// The MIME type of its content.
        mime_type: Text,
        /// More about the variables of the URI.
        variables: Entries<RawArgument>,
        /// Clients may subscribe to its changes.
        subscribe: Located<bool>,
        /// Free labels for selectors.
        tags: Vec<Text>,
    }

    /// A guide to a common task, in Markdown.
    RawCookbook, "a cookbook" {
        /// For people.
        title: Text,
        /// One sentence, at most 100 characters.
        summary: Text [required],
        /// The file with the text, relative to this one.
        file: Text [required],
        /// The operations that it uses. Callers who may use all of them see it.
        operations: Vec<Text> [required],
        /// Free labels for selectors.
        tags: Vec<Text>,
    }

    /// An MCP prompt.
    RawPrompt, "a prompt" {
        /// For people.
        title: Text,
        /// One sentence, at most 100 characters.
        summary: Text [required],
        /// Named strings that the caller fills in. A key that ends in `?` is optional.
        arguments: Entries<RawArgument>,
        /// Text with `{{argument}}` places. A handler writes the prompt when absent.
        template: Text,
        /// Free labels for selectors.
        tags: Vec<Text>,
    }
}
