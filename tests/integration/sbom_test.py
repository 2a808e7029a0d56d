"""`kernel-gen build --sbom` writes SPDX 2.3: the fields that its schema requires, and hashes that hashlib gives too."""

import copy
import hashlib
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

TOOL = os.path.realpath(sys.argv[1])

# What https://github.com/spdx/spdx-spec (v2.3, schemas/spdx-schema.json) asks of the parts that are written, and what the
# specification's text also requires: a namespace, and SHA-1 of each file.
CHECKSUM = {
    "type": "object",
    "properties": {"algorithm": {"enum": ["SHA1", "SHA256"]}, "checksumValue": {"type": "string", "pattern": "^[0-9a-f]+$"}},
    "required": ["algorithm", "checksumValue"],
    "additionalProperties": False,
}
ID = {"type": "string", "pattern": "^SPDXRef-[a-zA-Z0-9.-]+$"}
TEXT = {"type": "string", "minLength": 1}
SCHEMA = {
    "type": "object",
    "properties": {
        "spdxVersion": {"const": "SPDX-2.3"},
        "dataLicense": {"const": "CC0-1.0"},
        "SPDXID": {"const": "SPDXRef-DOCUMENT"},
        "name": TEXT,
        "documentNamespace": {"type": "string", "pattern": "^[a-z]+://[^#]+$"},
        "creationInfo": {
            "type": "object",
            "properties": {
                "created": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"},
                "creators": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": "^(Tool|Person): "}},
            },
            "required": ["created", "creators"],
            "additionalProperties": False,
        },
        "packages": {
            "type": "array",
            "minItems": 3,
            "items": {
                "type": "object",
                "properties": {
                    "SPDXID": ID, "name": TEXT, "versionInfo": TEXT, "downloadLocation": TEXT, "packageFileName": TEXT,
                    "filesAnalyzed": {"const": False},
                    "primaryPackagePurpose": {"enum": ["APPLICATION", "ARCHIVE", "LIBRARY", "SOURCE", "FILE", "OTHER"]},
                    "checksums": {"type": "array", "minItems": 1, "items": CHECKSUM},
                },
                "required": ["SPDXID", "name", "downloadLocation", "checksums"],
                "additionalProperties": False,
            },
        },
        "files": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "SPDXID": ID, "fileName": TEXT,
                    "checksums": {
                        "type": "array", "minItems": 1, "items": CHECKSUM,
                        "contains": {"type": "object", "properties": {"algorithm": {"const": "SHA1"}}, "required": ["algorithm"]},
                    },
                },
                "required": ["SPDXID", "fileName", "checksums"],
                "additionalProperties": False,
            },
        },
        "relationships": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "spdxElementId": ID, "relatedSpdxElement": ID, "comment": TEXT,
                    "relationshipType": {"enum": ["DESCRIBES", "BUILD_TOOL_OF", "GENERATED_FROM"]},
                },
                "required": ["spdxElementId", "relationshipType", "relatedSpdxElement"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages", "files",
                 "relationships"],
    "additionalProperties": False,
}
VALID = jsonschema.Draft202012Validator(SCHEMA)


def write(name, text):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def build(sbom="sbom.json", *more):
    command = [TOOL, "build", "--manifests", "manifests", "--kernels", "kernels", "--target", "cpu-x86-64-v3,gfx90a",
               "--out", "package", "--sbom", sbom, *more]
    return subprocess.run(command, capture_output=True, text=True)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def document(name="sbom.json"):
    return json.loads(read(name))


def sum_of(element, algorithm="SHA256"):
    return next(c["checksumValue"] for c in element["checksums"] if c["algorithm"] == algorithm)


def check(spdx):
    VALID.validate(spdx)
    ids = [element["SPDXID"] for element in spdx["packages"] + spdx["files"]] + ["SPDXRef-DOCUMENT"]
    assert len(set(ids)) == len(ids), "an SPDXID stands for two things"
    for relation in spdx["relationships"]:
        assert relation["spdxElementId"] in ids and relation["relatedSpdxElement"] in ids, relation
    package = spdx["packages"][0]
    assert sum_of(package) == hashlib.sha256(read("package/kernelgen.kgpkg")).hexdigest()
    sources = {relation["relatedSpdxElement"] for relation in spdx["relationships"]
               if relation["relationshipType"] == "GENERATED_FROM"}
    assert sources == {file["SPDXID"] for file in spdx["files"]}
    named = {file["fileName"]: file for file in spdx["files"]}
    for name, file in named.items():
        # A manifest is named with the folder it is in.
        for place in [name, name.replace("./manifests/manifests/", "manifests/"), os.path.join(SHIPPED, name)]:
            if os.path.exists(place):
                assert sum_of(file) == hashlib.sha256(read(place)).hexdigest(), name
                assert sum_of(file, "SHA1") == hashlib.sha1(read(place)).hexdigest(), name
                break
        else:
            raise AssertionError(f"{name} is nowhere")
    for wanted in ["./kernels/body.hpp", "./kernels/device/dialect.hpp", "./manifests/manifests/first.json",
                   "./manifests/targets.json"]:
        assert wanted in named, f"{wanted} is missing among {sorted(named)}"
    assert any(name.endswith("/ocml.bc") for name in named), "no device bitcode"
    assert "./kernels/unread.hpp" not in named
    flags = [relation["comment"] for relation in spdx["relationships"] if "comment" in relation]
    assert any(f.startswith("gfx90a: clang++") and "-O3" in f for f in flags), flags
    assert any(f.startswith("cpu-x86-64-v3: clang++") for f in flags), flags
    compilers = [p for p in spdx["packages"] if p["name"].startswith("clang++")]
    assert compilers and all("clang version" in p["versionInfo"] for p in compilers)
    for compiler in compilers:
        assert sum_of(compiler) == hashlib.sha256(read("/usr/bin/" + compiler["name"])).hexdigest()


SHIPPED = os.path.realpath(sys.argv[2])
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ["KERNELGEN_CACHE"] = folder + "/cache"
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    write("kernels/body.hpp", '#pragma once\n#include "device/dialect.hpp"\n')
    write("kernels/unread.hpp", "#pragma once\n")
    write("manifests/first.json", '{"module": "first", "header": "body.hpp", "symbols": [\n'
          '  {"name": "first", "args": ["x: f32*"], "body": "x[0] += 1.0f"}]}\n')
    result = build()
    assert result.returncode == 0, result.stderr
    spdx = document()
    check(spdx)
    assert spdx["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
    # The schema would refuse it without any of what it requires.
    for part in [(), ("creationInfo",), ("packages", 0), ("files", 0), ("files", 0, "checksums", 0), ("relationships", 0)]:
        place = spdx
        for key in part:
            place = place[key]
        for name in place:
            if name in ("versionInfo", "filesAnalyzed", "packageFileName", "primaryPackagePurpose", "comment"):
                continue
            broken = copy.deepcopy(spdx)
            holder = broken
            for key in part:
                holder = holder[key]
            del holder[name]
            assert not VALID.is_valid(broken), (part, name)

    # A build with nothing to do says the same; so does one from the cache, in another folder of the package.
    first = read("sbom.json")
    result = build("again.json")
    assert "nothing to do" in result.stdout, result.stdout
    assert read("again.json") == first
    # A comment is another source, of the same package.
    write("kernels/body.hpp", '#pragma once\n// What for.\n#include "device/dialect.hpp"\n')
    assert build().returncode == 0
    check(document())
    assert document()["packages"][0] == spdx["packages"][0]
    assert document()["documentNamespace"] != spdx["documentNamespace"]

    # What cannot be said is not said.
    result = build("package/sbom.json")
    assert result.returncode == 2 and "name a file outside it" in result.stderr, result.stderr
    os.environ["SOURCE_DATE_EPOCH"] = "today"
    result = build()
    assert result.returncode == 2 and "SOURCE_DATE_EPOCH=today: give whole seconds since 1970" in result.stderr
    del os.environ["SOURCE_DATE_EPOCH"]
    write("kernels/body.hpp", '#pragma once\n#include "device/dialect.hpp"\ninline const char* today() { return __DATE__; }\n')
    before = read("package/kernelgen.kgpkg")
    result = build("late.json")
    assert result.returncode == 1 and "what its compile read is not known" in result.stderr, result.stderr
    assert read("package/kernelgen.kgpkg") == before and not os.path.exists("late.json")
print("an SBOM holds what SPDX requires")
