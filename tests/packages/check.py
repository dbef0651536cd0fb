"""Packs a program, and installs and starts each package as its user would.

    python check.py CHECK PROGRAM

An MCP client that others have written initializes each server and reads a note with it. The programs for other systems are
stand-ins, and only their packages are looked at. `tests/packages/mod.rs` runs each check; it names what none tries.
"""

import contextlib
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import tomllib
import zipfile
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGING = ROOT / "server/packaging"
TABLE = tomllib.loads((PACKAGING / "packages.toml").read_text())
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
CLIENT = ROOT / "tests/clients/python"
BIN = HERE / ".venv/bin"
NODE = HERE / "node_modules/.bin"
NATIVE = f"{os.uname().machine}-unknown-linux-gnu"
ROW = TABLE["targets"][NATIVE]
# Without its install script the package of Claude Code has no program, but that of the platform has.
CLAUDE = HERE / f"node_modules/@anthropic-ai/claude-code-{ROW['node']}/claude"
NOTE = "The lighthouse keeper's log.\n"
SECONDS = 600


def run(*command, fails=False, **options):
    """What a command says, first on its standard output. It must succeed, or fail."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, **options)
    said = done.stdout + done.stderr
    print("$", *words)
    print(said)
    assert (done.returncode != 0) == fails, f"exit status {done.returncode}"
    return said


class Bench:
    """A folder with a vault, a home and what was built."""

    def __init__(self, folder, program, target=NATIVE):
        self.folder = folder
        self.vault = folder / "My notes"
        self.home = folder / "home"
        self.built = folder / "built"
        self.out = folder / "out"
        for place in (self.vault, self.home):
            place.mkdir()
        (self.vault / "Log.md").write_text(NOTE)
        for other in TABLE["targets"]:
            (self.built / other).mkdir(parents=True)
            for name in TABLE["programs"]:
                file = f"{name}.exe" if "windows" in other else name
                (self.built / other / file).write_text(f"{name} for {other}\n")
        if program:
            run("strip", "-o", self.built / target / "toolwrit", program)

    def pack(self, *kinds):
        make = [sys.executable, PACKAGING / "make.py", "packages", self.built, self.out, "--quick"]
        run(*make, *(["--only", *kinds] if kinds else []))
        return self.out

    def environment(self):
        return {**os.environ, "HOME": str(self.home)}

    def initialize(self, *command, serve=()):
        """Starts a server with the official Python client, and reads a note."""
        call = {"name": "vault_read", "arguments": {"operation": "read", "params": {"path": "Log.md"}}}
        serve = serve or ("serve", "--vault", self.vault, "--surface", "dispatch")
        words = json.dumps([str(word) for word in (*command, *serve)])
        client = (CLIENT / ".venv/bin/python", CLIENT / "drive.py")
        said = run(*client, words, "2025-11-25", json.dumps([call]), env=self.environment())
        report = json.loads(said.splitlines()[0])
        assert report["server"]["version"] == VERSION, report["server"]
        answer = json.loads(report["results"][0]["content"][0]["text"])
        assert answer["content"] == NOTE, answer


def equal(bench):
    """Two runs give the same bytes, whatever the time, the place and the environment."""
    bench.pack()
    first = {path.relative_to(bench.out): path.read_bytes() for path in bench.out.rglob("*") if path.is_file()}
    assert len(first) > 100, len(first)
    other = bench.folder / "another place"
    shutil.copytree(bench.built, other)
    for path in other.rglob("*"):
        os.utime(path, (0, 0))
    environment = {**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7", "HOME": "/"}
    for name, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
        environment.setdefault(name, str(Path.home() / folder))
    make = [sys.executable, PACKAGING / "make.py", "packages", other, bench.folder / "second", "--quick"]
    run(*make, env=environment, umask=0o077)
    second = bench.folder / "second"
    again = {path.relative_to(second): path.read_bytes() for path in second.rglob("*") if path.is_file()}
    assert first.keys() == again.keys(), first.keys() ^ again.keys()
    assert not [path for path in first if first[path] != again[path]]
    # Another program gives other packages, so that the comparison can fail.
    (other / NATIVE / "toolwrit").write_text("another program\n")
    run(*make, env=environment)
    name = f"toolwrit-{VERSION}-{NATIVE}.tar.gz"
    assert (second / "release" / name).read_bytes() != first[Path("release") / name]


def release(bench):
    """A release is refused if a program is missing, too large, or needs a newer glibc."""
    make = (sys.executable, PACKAGING / "make.py", "packages", bench.built, bench.out, "--quick", "--release")
    run(*make)
    program = bench.built / NATIVE / "toolwrit"
    program.write_bytes(b"\0GLIBC_2.34\0")
    assert "needs glibc (2, 34)" in run(*make, fails=True)
    program.write_bytes(bytes(46_000_000))
    assert "has 46.0 MB" in run(*make, fails=True)
    program.unlink()
    assert f"toolwrit is not built for {NATIVE}" in run(*make, fails=True)


def plugins(bench):
    """The plugins in the repository are those of the table, and Claude Code connects to the server of one."""
    run(sys.executable, PACKAGING / "make.py", "plugins", bench.folder)
    for made in (bench.folder / ".claude-plugin").rglob("*.json"):
        kept = ROOT / made.relative_to(bench.folder)
        write = "server/packaging/make.py plugins . writes it"
        assert kept.read_bytes() == made.read_bytes(), f"{kept} is not what the table says; {write}"
    environment = bench.environment()
    environment["PATH"] = f"{bench.built / NATIVE}:{environment['PATH']}"
    claude = partial(run, CLAUDE, env=environment)
    for place in (ROOT, *(ROOT / ".claude-plugin/plugins").iterdir()):
        claude("plugin", "validate", "--strict", place)
    claude("plugin", "marketplace", "add", ROOT)
    claude("plugin", "install", "toolwrit@toolwrit", "--config", f"vault={bench.vault}")
    assert "Connected" in claude("mcp", "list")


def npm(bench):
    packages = bench.pack("npm") / "npm"
    node = ROW["node"]
    project = bench.folder / "npm project"
    project.mkdir()
    cache = {**bench.environment(), "npm_config_cache": str(bench.folder / "cache")}
    install = ("npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund")
    launcher = packages / f"toolwrit-{VERSION}.tgz"
    run(*install, launcher, packages / f"toolwrit-{node}-{VERSION}.tgz", cwd=project, env=cache)
    program = project / "node_modules/.bin/toolwrit"
    bench.initialize(program)
    with contextlib.chdir(project):
        bench.initialize("npx", "--offline", "toolwrit")
    # The launcher ends as the program does.
    assert subprocess.run([program, "--no-such-flag"], capture_output=True, timeout=SECONDS).returncode == 2
    child = subprocess.Popen([program, "serve", "--vault", bench.vault], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    child.stdin.flush()
    child.stdout.readline()
    child.send_signal(signal.SIGTERM)
    child.wait(SECONDS)
    # It ends only once the program has closed it, too.
    child.stdout.read()
    shutil.rmtree(project / "node_modules/@toolwrit")
    assert f"@toolwrit/{node} is not installed" in run(program, "--version", fails=True)


def wheel(bench):
    packages = bench.pack("wheels") / "pypi"
    run(BIN / "twine", "check", "--strict", *packages.iterdir())
    [own] = packages.glob(f"toolwrit_server-*manylinux*_{NATIVE.split('-')[0]}.whl")
    platform = own.stem.split("-")[-1]
    said = " ".join(run(BIN / "auditwheel", "show", own).split())
    assert f'consistent with the following platform tag: "{platform}"' in said
    uvx = (BIN / "uvx", "--offline", "--cache-dir", bench.folder / "uv")
    bench.initialize(*uvx, "--from", own, "toolwrit")
    # A client that knows only the package's name starts its own command.
    bench.initialize(*uvx, "--from", own, "toolwrit-server")


def bundle(bench):
    release = bench.pack("bundles") / "release"
    for file in release.glob("*.mcpb"):
        manifest = bench.folder / f"{file.stem}.json"
        manifest.write_bytes(zipfile.ZipFile(file).read("manifest.json"))
        run(NODE / "mcpb", "validate", manifest)
    place = bench.folder / "Application Support" / "toolwrit"
    run(NODE / "mcpb", "unpack", release / f"toolwrit-{VERSION}-{ROW['node']}.mcpb", place)
    for path in place.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    server = json.loads((place / "manifest.json").read_text())["server"]["mcp_config"]
    values = {"__dirname": str(place), "user_config.vault": str(bench.vault), "user_config.read_only": "false"}

    def filled(word):
        for name, value in values.items():
            word = word.replace(f"${{{name}}}", value)
        assert "${" not in word, word
        return word

    words = [filled(word) for word in (server["command"], *server["args"])]
    variables = [f"{name}={filled(value)}" for name, value in server["env"].items()]
    bench.initialize("env", *variables, *words, serve=("--surface", "dispatch"))


def deb(bench):
    """Installs with dpkg into a folder, beside what this machine's own dpkg has installed."""
    file = bench.pack("debian") / f"release/toolwrit_{VERSION}-1_{ROW['debian']}.deb"
    run("lintian", "--allow-root", "--fail-on", "error", file)
    root = bench.folder / "root"
    (root / "var/lib/dpkg").mkdir(parents=True)
    for name in ("info", "updates"):
        (root / "var/lib/dpkg" / name).mkdir()
    shutil.copy("/var/lib/dpkg/status", root / "var/lib/dpkg/status")
    dpkg = ("dpkg", f"--root={root}", "--force-script-chrootless", "--force-not-root", "--log=/dev/null")
    run(*dpkg, "--install", file)
    bench.initialize(root / "usr/bin/toolwrit")
    assert not list(root.rglob("*.wants")), "the service is enabled"
    # The unit as it stands in the package, with the place of the program here.
    unit = root / "usr/lib/systemd/system/toolwrit.service"
    text = unit.read_text().replace("/usr/bin/toolwrit", str(root / "usr/bin/toolwrit"))
    moved = bench.folder / "toolwrit.service"
    moved.write_text(text)
    assert run("systemd-analyze", "verify", "--man=no", moved) == ""
    run("systemd-analyze", "security", "--offline=true", "--threshold=20", moved)
    run(*dpkg, "--purge", "toolwrit")
    assert not (root / "usr/bin/toolwrit").exists() and not unit.exists()


@contextlib.contextmanager
def served(folder):
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def archive(bench):
    """The installer for shells, with what a release has, and with what was tampered with."""
    release = bench.pack("archives") / "release"
    run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=release)
    script = release / "toolwrit-installer.sh"
    for name in TABLE["programs"]:
        run(BIN / "shellcheck", "--shell=sh", release / f"{name}-installer.sh")
    to = bench.home / "my programs"
    file = release / f"toolwrit-{VERSION}-{NATIVE}.tar.gz"
    with served(release) as address:
        install = ("sh", script, "--from", address, "--to")
        for shell in ("sh", "bash"):
            run(shell, *install[1:], to, env=bench.environment())
        bench.initialize(to / "toolwrit")
        file.write_bytes(file.read_bytes() + b"\0")
        said = run(*install, bench.home / "other", env=bench.environment(), fails=True)
        assert "SHA256SUMS says" in said and not (bench.home / "other").exists()
        sums = release / "SHA256SUMS"
        sums.write_text("".join(line for line in sums.open() if file.name not in line))
        said = run(*install, bench.home / "other", env=bench.environment(), fails=True)
        assert "has no line for" in said and not (bench.home / "other").exists()


def notices(bench):
    """The terms of every crate that cargo builds the program from go with it."""
    bench.pack("archives")
    archive = bench.out / f"release/toolwrit-{VERSION}-{NATIVE}.tar.gz"
    run("tar", "xzf", archive, "-C", bench.folder)
    text = (bench.folder / f"toolwrit-{VERSION}-{NATIVE}/THIRD-PARTY-NOTICES").read_text()
    tree = ("cargo", "tree", "--package", "toolwrit-server", "--edges", "normal", "--prefix", "none", "--locked")
    others = {tuple(line.split()[:2]) for line in run(*tree, cwd=ROOT).splitlines()[1:] if " v" in line}
    others = {(name, version) for name, version in others if not name.startswith("toolwrit")}
    assert len(others) > 200, len(others)
    assert not [name for name, version in others if f"\n{name} {version[1:]}: " not in text]
    assert "Permission is hereby granted, free of charge" in text and "Apache License" in text


def extension(bench):
    """The extension of Gemini CLI is in the archive that its client looks for."""
    node = ROW["node"].replace("-", ".")
    file = bench.pack("gemini") / f"release/{node}.toolwrit.tar.gz"
    place = bench.folder / "extension"
    place.mkdir()
    run("tar", "-xzf", file, "-C", place)
    run(NODE / "gemini", "extensions", "validate", place, env=bench.environment())
    server = json.loads((place / "gemini-extension.json").read_text())["mcpServers"]["notes"]
    command = server["command"].replace("${extensionPath}", str(place)).replace("${/}", "/")
    vault = f"TOOLWRIT_VAULT={bench.vault}"
    bench.initialize("env", vault, command, serve=(*server["args"], "--surface", "dispatch"))


def descriptions(bench):
    """What is not installed here is held against its schema, its linter or its grammar."""
    out = bench.pack("archives", "bundles", "container", "homebrew", "windows", "registry")
    for file in out.glob("container/*/Dockerfile"):
        run(BIN / "hadolint", file)
    run(BIN / "skillsaw", "lint", "--strict", out / "registry")
    files = {path.name: path for path in (out / "release").iterdir()}
    for name in TABLE["programs"]:
        text = (out / f"registry/{name}/server.json").read_text()
        entry = json.loads(text)
        assert len(entry["description"]) <= 100
        for package in entry["packages"]:
            if package["registryType"] == "mcpb":
                named = files[package["identifier"].split("/")[-1]]
                assert run("sha256sum", named).split()[0] == package["fileSha256"]
        for file in (out / f"homebrew/Formula/{name}.rb", out / f"scoop/bucket/{name}.json"):
            said = file.read_text()
            for archive in (one for one in files if f"/{one}" in said and one != "SHA256SUMS"):
                assert run("sha256sum", files[archive]).split()[0] in said, archive
    run(sys.executable, HERE / "grammar.py", *(out / "release").glob("*.ps1"), *out.rglob("*.yaml"))


def workflow(_):
    file = ROOT / ".github/workflows/release.yml"
    run(BIN / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", file)
    run(BIN / "zizmor", "--offline", "--no-progress", "--min-severity=medium", file)


def shipped(bench):
    """The program of a release, as it was built for one: its size, and the glibc that it needs."""
    bench.pack()
    make = (sys.executable, PACKAGING / "make.py", "packages", bench.built, bench.out, "--quick", "--release")
    run(*make, "--only", "registry")


def image(bench):
    """An image of the static program, and that program as the image's user with nothing but the image around it."""
    context = bench.pack("container") / "container/toolwrit"
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", context / "certificates.pem")
    places = (f"--root={bench.folder}/images", f"--runroot={bench.folder}/run", "--storage-driver=vfs")
    buildah = ("buildah", *places)
    run(*buildah, "build", "--isolation=chroot", "--tag=toolwrit", context)
    about = json.loads(run(*buildah, "inspect", "--type=image", "toolwrit"))["OCIv1"]["config"]
    assert about["Labels"]["io.modelcontextprotocol.server.name"] == f"{TABLE['namespace']}/toolwrit"
    assert (about["User"], about["Entrypoint"], about["Cmd"]) == ("65532:65532", ["/toolwrit"], ["serve"])
    container = run(*buildah, "from", "toolwrit").split()[-1]
    root = Path(run(*buildah, "mount", container).split()[-1])
    shutil.copy(bench.vault / "Log.md", root / "vault/Log.md")
    enter = ("chroot", f"--userspec={about['User']}", root, *about["Entrypoint"])
    alone = ("env", "--ignore-environment", *about["Env"])
    bench.initialize(*alone, *enter, serve=("serve", "--surface", "dispatch"))
    run(*buildah, "umount", container)


# Of programs that only the full run builds.
STATIC = (image,)
CHECKS = (shipped, *STATIC, equal, release, plugins, npm, wheel, bundle, deb, archive, notices, extension, descriptions, workflow)


def main():
    name, *program = sys.argv[1:]
    [check] = [check for check in CHECKS if check.__name__ == name]
    with tempfile.TemporaryDirectory() as folder:
        target = NATIVE.replace("gnu", "musl") if check in STATIC else NATIVE
        check(Bench(Path(folder), *program or [None], target))


main()
