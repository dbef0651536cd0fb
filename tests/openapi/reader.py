"""Reads OpenAPI documents, and finds what neither the manifest made of one nor the list of its losses has."""
import json, re, subprocess, urllib.parse

import yaml

METHODS = ("get", "put", "post", "delete", "patch", "head", "options", "trace")
BOUND = METHODS[:5]


def lookup(document, reference):
    if not reference.startswith("#"):
        return {}
    node = document
    for step in [step for step in reference[1:].split("/") if step]:
        step = urllib.parse.unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict):
            node = node.get(step, {})
        elif isinstance(node, list) and step.isdigit() and int(step) < len(node):
            node = node[int(step)]
        else:
            return {}
    return node


def followed(document, node):
    for _ in range(40):
        if not (isinstance(node, dict) and isinstance(node.get("$ref"), str)):
            return node
        node = lookup(document, node["$ref"])
    return {}


def fields(document, schema, depth=0):
    """The names of the fields of an object that a caller may send."""
    schema = followed(document, schema)
    if not isinstance(schema, dict) or depth > 6:
        return set()
    found = set()
    for name, value in (schema.get("properties") or {}).items():
        parts = [followed(document, value)]
        parts += [followed(document, part) for part in (parts[0] or {}).get("allOf") or []]
        if not any(isinstance(part, dict) and part.get("readOnly") for part in parts):
            found.add(name)
    for part in schema.get("allOf") or []:
        found |= fields(document, part, depth + 1)
    return found


def pointer(*steps):
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


class Imported:
    """A document, its manifest, and what is said to be lost."""

    def __init__(self, program, path, home):
        self.path, self.home, self.program = path, home, program
        self.name = re.sub(r"\.(json|ya?ml)$", "", str(path).split("/api/")[-1].split("/node_modules/")[-1])
        text = path.read_text()
        self.document = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
        self.manifest_path = home / f"{abs(hash(str(path)))}.yaml"
        command = [program, "import", "openapi", str(path), "--out", str(self.manifest_path), "--json"]
        run = subprocess.run(command, capture_output=True, text=True)
        self.failed = run.stderr.strip() if run.returncode else None
        self.losses = [] if self.failed else json.loads(run.stdout)["losses"]
        if not self.failed:
            run = subprocess.run([program, "check", str(self.manifest_path)], capture_output=True, text=True)
            self.failed = run.stderr.strip() if run.returncode else None
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self.manifest = {} if self.failed else yaml.load(self.manifest_path.read_text(), loader)

    @property
    def operations(self):
        return self.manifest.get("operations") or {}

    def is_lost(self, *places):
        return any(loss["pointer"].endswith(place) or place in loss["pointer"] for loss in self.losses for place in places)

    def missing(self):
        """What the document has, and neither the manifest nor the list of losses."""
        bound = {}
        for operation in self.operations.values():
            http = operation["http"]
            for method in BOUND:
                if method in http:
                    path = re.sub(r"[.]\{|;[^=/]*=\{", "{", http[method])
                    bound.setdefault((method, re.sub(r"\{[^}]*\}", "{}", path)), []).append(operation)
        for path, item in (self.document.get("paths") or {}).items():
            item = followed(self.document, item)
            for method in [method for method in METHODS if isinstance(item, dict) and method in item]:
                key = (method, re.sub(r"\{[^}]*\}", "{}", re.split(r"[?#]", path)[0]))
                place = pointer("paths", path, method)
                if key not in bound:
                    if not self.is_lost(place, pointer("paths", path)):
                        yield f"{method} {path}"
                    continue
                # Several operations may have the same path with other names in it.
                found = [
                    list(self.missing_of(item, item[method], one, place, pointer("paths", path)))
                    for one in bound[key]
                ]
                yield from min(found, key=len)

    def missing_of(self, item, operation, bound, place, place_of_item):
        http = bound["http"]
        provider = next(iter(self.manifest["providers"].values()))["http"]
        page = http.get("page") or {}
        # The link of a page has its number.
        links = '"page"' if "link" in page else ""
        written = json.dumps(page) + links + json.dumps(provider.get("auth") or {})
        query = {name.rstrip("?") for name in http.get("query") or {}}
        headers = {name.rstrip("?").lower() for name in http.get("headers") or {}}
        seen = set()
        for owner, where in ((operation, place), (item, place_of_item)):
            for at, raw in enumerate(owner.get("parameters") or []):
                one = followed(self.document, raw)
                name, kind = (one or {}).get("name"), (one or {}).get("in")
                if not name or (name, kind) in seen:
                    continue
                seen.add((name, kind))
                places = [f"{where}/parameters/{at}"]
                if isinstance(raw, dict) and "$ref" in raw:
                    places.append(raw["$ref"].partition("#")[2])
                has = {
                    "query": lambda: name in query or any(key.startswith(f"{name}[") for key in query)
                    or fields(self.document, one.get("schema") or {}) & query,
                    "header": lambda: name.lower() in headers | {"accept", "content-type", "content-length", "authorization", "host"},
                    "cookie": lambda: False,
                }.get(kind, lambda: True)
                if not has() and f'"{name}"' not in written and not self.is_lost(*places):
                    yield f"{place}: the {kind} parameter {name}"
        body = followed(self.document, operation.get("requestBody") or {})
        content = (body or {}).get("content") or {}
        sent = http.get("body") or http
        kind = next((key for key in ("json", "form", "multipart", "text", "bytes") if key in sent), None)
        if content and not kind and not self.is_lost(f"{place}/requestBody"):
            yield f"{place}: the body"
        if kind in ("json", "form", "multipart") and isinstance(sent[kind], dict):
            words = {"json": "json", "form": "urlencoded", "multipart": "multipart"}[kind]
            media = sent.get("type") or next((name for name in sorted(content) if words in name), None)
            schema = (followed(self.document, content.get(media)) or {}).get("schema") or {}
            names = {name.rstrip("?").split("[")[0] for name in sent[kind]} | {name.rstrip("?") for name in sent[kind]}
            for name in fields(self.document, schema) - names:
                if not self.is_lost(f"/properties/{name}") and not any(f"`{name}`" in loss["message"] for loss in self.losses):
                    yield f"{place}: the field {name} of the body"
