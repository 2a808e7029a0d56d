"""The schemas take what the tree holds and what the tool wrote, and refuse each of them with one thing changed."""

import copy
import glob
import json
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

TOOL, TREE = sys.argv[1:3]
SCHEMA_CHECK = jsonschema.Draft202012Validator


def schema(name):
    text = subprocess.run([TOOL, "schema", name], check=True, capture_output=True, text=True).stdout
    value = json.loads(text)
    SCHEMA_CHECK.check_schema(value)
    return SCHEMA_CHECK(value)


def places(value, path=()):
    """Every value of a document with the path to it."""
    yield path, value
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in pairs:
        yield from places(member, path + (key,))


def changed(document, path, change):
    """A copy in which `change` was made to what holds the value at `path`."""
    result = copy.deepcopy(document)
    holder = result
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return result


def put(value):
    return lambda holder, key: holder.__setitem__(key, value)


def mutations(document):
    """Things no schema may take: a value of another type anywhere, an unknown key in any object. Each is the arguments of
    changed(): copies of all of them would fill the memory."""
    for path, value in places(document):
        if isinstance(value, dict) and not is_map(path):
            yield path, "unknown key", lambda holder, key: holder[key].update({"unknown": 1})
        if path:
            yield path, "another type", put({"a": {}} if not isinstance(value, dict) else 3.5)


def is_map(path):
    """Objects whose keys are names that the user chooses."""
    return bool(path) and path[-1] in ("types", "forms", "spell", "constants")


def without_required(validator, document):
    for key in validator.schema["required"]:
        yield key, {k: v for k, v in document.items() if k != key}


def walk(name, files, most):
    validator = schema(name)
    assert files, f"no file for schema {name}"
    refused = 0
    for file in files:
        document = json.load(open(file, encoding="utf-8"))
        errors = [f"{file}: /{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in validator.iter_errors(document)]
        assert not errors, "\n".join(errors[:5])
        for key, other in without_required(validator, document):
            assert not validator.is_valid(other), f"{file}: taken without '{key}'"
        for path, what, change in list(mutations(document))[:: max(1, sum(1 for _ in places(document)) * 2 // most)]:
            other = changed({"_": document}, ("_",) + path, change)["_"]
            assert not validator.is_valid(other), f"{file}: /{'/'.join(map(str, path))}: {what} was taken"
            refused += 1
    print(f"{name}: {len(files)} files taken, {refused} changed ones refused")


walk("module", sorted(glob.glob(f"{TREE}/manifests/core/*.json") + glob.glob(f"{TREE}/manifests/candle/*.json")
                      + glob.glob(f"{TREE}/tests/golden/manifests/*.json")), most=60)
walk("targets", [f"{TREE}/manifests/targets.json"], most=400)
walk("registry", [f"{TREE}/tests/golden/expected/registry.json"] + sys.argv[3:], most=60)
