//! The shipped manifest, parsed as plain YAML and interpreted independently of the server, to check the
//! server's tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use serde_yaml::{Mapping, Value as Yaml};
use toolwrit_tests::program;

pub(crate) struct Manifest {
    root: Yaml,
    pub(crate) operations: Vec<Operation>,
}

pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) category: String,
    pub(crate) name: String,
    /// The category's name in its tools.
    pub(crate) category_tool: String,
    /// Its tool on the flat surface.
    pub(crate) wire_name: String,
    pub(crate) effect: Effect,
    pub(crate) tags: Vec<String>,
    pub(crate) aliases: Vec<String>,
    /// Whether it is a tool of its own on the dispatch surface.
    pub(crate) is_direct: bool,
    /// Whether it needs a provider. None is available in these tests.
    requires: bool,
    /// Arguments of a valid call.
    pub(crate) example: Value,
    /// Arguments of valid calls by older names that have arguments of their own.
    older_examples: BTreeMap<String, Value>,
    /// The tool of the flat surface to which it belongs with others.
    pub(crate) merged: Option<Merged>,
}

/// A flat tool of several operations, and the argument that names one of them.
pub(crate) struct Merged {
    pub(crate) tool: String,
    pub(crate) by: String,
    pub(crate) value: String,
}

impl Operation {
    /// Arguments of a valid call by this name.
    pub(crate) fn arguments(&self, name: &str) -> &Value {
        self.older_examples.get(name).unwrap_or(&self.example)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    Read,
    Write,
    Destroy,
}

impl Effect {
    pub(crate) const ALL: [Effect; 3] = [Effect::Read, Effect::Write, Effect::Destroy];

    fn parse(text: &str) -> Self {
        match text {
            "read" => Effect::Read,
            "write" => Effect::Write,
            "destroy" => Effect::Destroy,
            other => panic!("no effect: {other}"),
        }
    }

    /// The endings of tools that are split by effect.
    pub(crate) fn tool_suffix(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Destroy => "delete",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        if self == Effect::Destroy { "destroy" } else { self.tool_suffix() }
    }
}

/// The expected outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Visible,
    /// `TOOL_NOT_FOUND`
    Hidden,
    /// `WRITES_DISABLED`
    WritesDisabled,
    /// `FOCUS_RESTRICTED`
    FocusRestricted,
    /// `PROVIDER_UNAVAILABLE`
    Unavailable,
}

impl Verdict {
    /// Whether a call's result agrees with this outcome.
    pub(crate) fn agrees_with(self, code: &str) -> bool {
        match self {
            Verdict::Hidden => code == "TOOL_NOT_FOUND",
            Verdict::WritesDisabled => code == "WRITES_DISABLED",
            Verdict::FocusRestricted => code == "FOCUS_RESTRICTED",
            Verdict::Unavailable => code == "PROVIDER_UNAVAILABLE",
            // The handler was reached. Its result may be an error, because examples run one after another
            // and affect each other, and no page can be fetched.
            Verdict::Visible => {
                ["ok", "NOT_FOUND", "ALREADY_EXISTS", "UPSTREAM_ERROR"].contains(&code)
            }
        }
    }
}

impl Manifest {
    pub(crate) fn shipped() -> Self {
        let folder = program::workspace().join("manifest");
        let read = |path: &str| -> Yaml {
            let text = fs::read_to_string(folder.join(path)).unwrap();
            serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
        };
        let root = read("authority.yaml");
        let mut files = vec![root.clone()];
        files.extend(texts(&root["include"]).iter().map(|path| read(path)));
        let declared = files.iter().filter_map(|file| file["operations"].as_mapping()).flatten();
        let mut operations: Vec<Operation> =
            declared.map(|(id, body)| operation(&root, id.as_str().unwrap(), body)).collect();
        let tools: Vec<_> = files.iter().filter_map(|file| file["tools"].as_mapping()).collect();
        for operation in &mut operations {
            operation.merged = tools.iter().find_map(|tools| merged(tools, &operation.id));
        }
        add_older_examples(&mut operations, &folder.join("authority.yaml"));
        Self { root, operations }
    }

    pub(crate) fn focus_modes(&self) -> Vec<&str> {
        keys(&self.root["focus"])
    }

    pub(crate) fn roles(&self) -> Vec<&str> {
        keys(&self.root["roles"])
    }

    /// Evaluates the policy in its order: the role first, then the write switch, then the focus mode, then
    /// the provider.
    pub(crate) fn verdict(
        &self,
        focus: &str,
        role: &str,
        writes: bool,
        operation: &Operation,
    ) -> Verdict {
        if !self.role_allows(role, operation) {
            Verdict::Hidden
        } else if !writes && operation.effect != Effect::Read {
            Verdict::WritesDisabled
        } else if !listed(&self.root["focus"][focus]["allow"], operation)
            || listed(&self.root["focus"][focus]["deny"], operation)
        {
            Verdict::FocusRestricted
        } else if operation.requires {
            Verdict::Unavailable
        } else {
            Verdict::Visible
        }
    }

    /// Whether a role or one that it extends allows the operation, and none of them denies it.
    fn role_allows(&self, role: &str, operation: &Operation) -> bool {
        let mut chain = Vec::new();
        let mut next = Some(role.to_owned());
        while let Some(name) = next {
            let body = &self.root["roles"][name.as_str()];
            assert!(body.is_mapping(), "no role {name}");
            next = body["extends"].as_str().map(str::to_owned);
            chain.push(body);
        }
        chain.iter().any(|body| listed(&body["allow"], operation))
            && !chain.iter().any(|body| listed(&body["deny"], operation))
    }

    /// Whether a selector in the notation of flags covers an operation.
    pub(crate) fn flag_selects(selector: &str, operation: &Operation) -> bool {
        match selector.split_once(':') {
            Some(("effect", value)) => operation.effect.name() == value,
            Some(("tag", value)) => operation.tags.iter().any(|tag| tag == value),
            Some(("category", value)) => operation.category == value,
            Some(_) => false,
            None => selects(&Yaml::from(selector), operation),
        }
    }
}

/// The merged tool to which an operation belongs.
fn merged(tools: &Mapping, id: &str) -> Option<Merged> {
    tools.iter().find_map(|(tool, body)| {
        let operations = body["operations"].as_mapping().unwrap();
        let (value, _) = operations.iter().find(|(_, own)| own.as_str() == Some(id))?;
        let text = |value: &Yaml| value.as_str().unwrap().to_owned();
        Some(Merged { tool: text(tool), by: text(&body["by"]), value: text(value) })
    })
}

/// Adds the examples that the reference shows for older names with arguments of their own.
fn add_older_examples(operations: &mut [Operation], file: &Path) {
    let manifest = toolwrit_manifest::load(file).unwrap();
    for (own, declared) in operations.iter_mut().zip(manifest.tools()) {
        // The example of such an operation stays on this machine.
        for alias in declared.aliases.iter().filter(|_| !declared.uses_network()) {
            let call = toolwrit_manifest::older_call(&manifest, declared, alias).unwrap();
            own.older_examples.insert(alias.name.clone(), call.older.into());
        }
    }
}

fn operation(root: &Yaml, id: &str, body: &Yaml) -> Operation {
    let (category, name) = id.split_once('.').unwrap();
    let category_tool = root["categories"][category]["tool"].as_str().unwrap_or(category);
    let wire_name = body["tool"].as_str().map(str::to_owned);
    let aliases = body["aliases"].as_sequence().into_iter().flatten();
    // An alias is a name, or has one, or several that take the same arguments.
    let names = |alias: &Yaml| -> Vec<String> {
        let name = if alias.is_mapping() { &alias["name"] } else { alias };
        let several = name.as_sequence().into_iter().flatten();
        name.as_str()
            .into_iter()
            .chain(several.filter_map(Yaml::as_str))
            .map(str::to_owned)
            .collect()
    };
    Operation {
        id: id.to_owned(),
        category: category.to_owned(),
        name: name.to_owned(),
        category_tool: category_tool.to_owned(),
        wire_name: wire_name
            .unwrap_or_else(|| format!("{category_tool}_{}", name.replace('.', "_"))),
        effect: match body["builtin"].as_str() {
            Some("seed_test_data") => Effect::Write,
            Some(_) => Effect::Read,
            None => Effect::parse(body["effect"].as_str().unwrap()),
        },
        tags: texts(&body["tags"]).into_iter().map(str::to_owned).collect(),
        aliases: aliases.flat_map(names).collect(),
        is_direct: root["categories"][category]["direct"].as_bool().unwrap_or(false),
        requires: body["requires"].is_string(),
        older_examples: BTreeMap::new(),
        merged: None,
        example: if body["open_world"].as_bool().unwrap_or(false) {
            // No server listens at this port, so nothing leaves the machine.
            serde_json::json!({"url": "http://127.0.0.1:9/"})
        } else {
            match serde_json::to_value(&body["examples"][0]["args"]).unwrap() {
                Value::Null => serde_json::json!({}),
                arguments => arguments,
            }
        },
    }
}

/// Whether any selector of a list covers the operation. Without a list nothing is covered.
fn listed(selectors: &Yaml, operation: &Operation) -> bool {
    selectors.as_sequence().into_iter().flatten().any(|selector| selects(selector, operation))
}

fn selects(selector: &Yaml, operation: &Operation) -> bool {
    if let Some(text) = selector.as_str() {
        return text == "*"
            || text == operation.id
            || text.strip_suffix(".*").unwrap_or(text) == operation.category;
    }
    let conditions = selector.as_mapping().unwrap();
    assert!(!conditions.is_empty());
    conditions.iter().all(|(key, value)| {
        let value = value.as_str().unwrap();
        match key.as_str().unwrap() {
            "effect" => operation.effect.name() == value,
            "tag" => operation.tags.iter().any(|tag| tag == value),
            "category" => operation.category == value,
            other => panic!("a condition that the test does not know: {other}"),
        }
    })
}

fn keys(mapping: &Yaml) -> Vec<&str> {
    mapping.as_mapping().unwrap().keys().map(|key| key.as_str().unwrap()).collect()
}

fn texts(list: &Yaml) -> Vec<&str> {
    list.as_sequence().into_iter().flatten().map(|item| item.as_str().unwrap()).collect()
}
