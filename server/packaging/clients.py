"""What clients open themselves: MCP bundles, an extension of Gemini CLI, plugins of Claude Code."""

import shutil

from archive import Entry
from table import LICENSE, LICENSES, REPOSITORY, TABLE, VERSION, WORKSPACE, Program, question, text_of


def bundles(program, pack):
    """An MCP bundle for each system, which a desktop client opens."""
    for target, node in program.of("node"):
        windows = "windows" in target
        arguments = program.flags(lambda one: f"${{user_config.{one['key']}}}")
        start = ["/bin/sh", "${__dirname}/server/start.sh"]
        command = ["${__dirname}/server/" + program.file(target)] if windows else start
        switches = [one for one in program.settings if "flag" not in one]
        environment = {one["variable"]: f"${{user_config.{one['key']}}}" for one in switches}
        manifest = {
            "manifest_version": "0.3",
            "name": program.name,
            "display_name": program.row["title"],
            "version": VERSION,
            "description": program.row["description"],
            "author": {"name": WORKSPACE["authors"][0], "url": REPOSITORY},
            "repository": {"type": "git", "url": REPOSITORY},
            "documentation": TABLE["homepage"],
            "license": LICENSE,
            "keywords": program.row["keywords"],
            "tools_generated": True,
            "prompts_generated": True,
            "compatibility": {"platforms": [node.split("-")[0]]},
            "server": {
                "type": "binary",
                "entry_point": f"server/{program.file(target)}",
                "mcp_config": {
                    "command": command[0],
                    "args": command[1:] + arguments,
                    "env": environment,
                },
            },
            "user_config": {one["key"]: question(one) for one in program.settings},
        }
        entries = [Entry("manifest.json", text_of(manifest)), program.entry(target, "server/"), *LICENSES]
        if not windows:
            entries.append(Entry("server/start.sh", program.fill("start.sh"), 0o755))
        pack.write(f"release/{program.name}-{VERSION}-{node}.mcpb", pack.zip(entries))


def gemini(program, pack):
    """The extension of Gemini CLI, which looks for an archive of its platform in the newest release."""
    if not program.row.get("gemini"):
        return
    known = [one for one in program.settings if "variable" in one and one["type"] == "directory"]
    asked = [
        {"name": one["title"], "description": one["description"], "envVar": one["variable"], "sensitive": False}
        for one in known
    ]
    for target, node in program.of("node"):
        command = "${extensionPath}${/}bin${/}" + program.file(target)
        server = {"command": command, "args": ["serve", "--profile", "gemini"]}
        extension = {
            "name": program.name,
            "version": VERSION,
            "description": program.row["description"],
            "mcpServers": {program.row["entry"]: server},
            "settings": asked,
        }
        entries = [Entry("gemini-extension.json", text_of(extension)), program.entry(target, "bin/"), *LICENSES]
        name = f"{node.replace('-', '.')}.{program.name}"
        windows = "windows" in target
        content = pack.zip(entries) if windows else pack.tar_gz(entries)
        pack.write(f"release/{name}.{'zip' if windows else 'tar.gz'}", content)


def plugins(folder):
    """Plugins of Claude Code, which start a program that is installed already."""
    shutil.rmtree(folder / ".claude-plugin", ignore_errors=True)
    author = {"name": WORKSPACE["authors"][0]}
    listed = []
    for name, row in TABLE["programs"].items():
        program = Program(name, row, folder / "nothing")
        arguments = program.flags(lambda one: f"${{user_config.{one['key']}}}")
        plugin = {
            "name": name,
            "version": VERSION,
            "description": row["description"],
            "author": author,
            "homepage": TABLE["homepage"],
            "repository": REPOSITORY,
            "license": LICENSE,
            "keywords": row["keywords"],
            "userConfig": {one["key"]: question(one) for one in row["settings"] if "flag" in one},
            "mcpServers": {row["entry"]: {"command": name, "args": arguments}},
        }
        source = f".claude-plugin/plugins/{name}"
        place = folder / source / ".claude-plugin"
        place.mkdir(parents=True)
        (place / "plugin.json").write_bytes(text_of(plugin))
        listed.append({"name": name, "source": f"./{source}", "description": row["description"]})
    marketplace = {
        "name": "toolwrit",
        "owner": author,
        "metadata": {"description": "Notes, WordPress and Jira for Claude Code"},
        "plugins": listed,
    }
    (folder / ".claude-plugin/marketplace.json").write_bytes(text_of(marketplace))
