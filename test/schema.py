#!/usr/bin/env python3
"""Every document the program writes keeps to its schema, and has no key that the schema does not describe.

Usage: schema.py PROGRAM DIRECTORY-OF-SCHEMAS. The validator knows the part of JSON Schema that ours use, and refuses a
keyword it does not know, so that none is passed over.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM, SCHEMAS = sys.argv[1:]
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "const", "enum", "oneOf", "properties",
         "required", "additionalProperties", "items", "minItems", "maxItems", "minimum", "maximum", "pattern"}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def faults(value, schema, root, at):
    """What is wrong, a sentence each."""
    unknown = set(schema) - KNOWN
    if unknown:
        yield f"{at}: the schema has {sorted(unknown)}, which this validator does not know"
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        yield from faults(value, target, root, at)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        yield f"{at}: {json.dumps(value)[:60]} is not {' or '.join(types)}"
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if "oneOf" in schema and sum(not list(faults(value, one, root, at)) for one in schema["oneOf"]) != 1:
        yield f"{at}: {json.dumps(value)[:60]} is not exactly one of what it may be"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: {value!r} does not match {schema['pattern']}"
    if is_type(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{at}: {value} is out of bounds"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{at}: {len(value)} elements"
        for i, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), root, f"{at}[{i}]")
    if isinstance(value, dict) and "$ref" not in schema:
        yield from faults_of_keys(value, schema, root, at)


def faults_of_keys(value, schema, root, at):
    for key in schema.get("required", []):
        if key not in value:
            yield f"{at}: {key} is missing"
    for key, item in value.items():
        described = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        if described is None and schema.get("description", "").startswith("What `assay machine --json`"):
            continue  # a document of its own, looked at by itself
        if described is None:
            yield f"{at}.{key}: the schema does not describe it"
        elif described is not True:
            yield from faults(item, described, root, f"{at}.{key}")


def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key is there twice: {keys}"
    return dict(pairs)


def schema_of(name):
    with open(os.path.join(SCHEMAS, f"assay.{name}-1.json"), encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=unique)


def output(*arguments, allowed=(0, 4)):
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode in allowed, f"assay {' '.join(arguments)}: {done.returncode}, {done.stderr.decode()}"
    return done.stdout.decode("utf-8")


def main():
    code = 0

    def look(name, document, what):
        nonlocal code
        schema = schema_of(name)
        found = list(faults(document, schema, schema, what))
        if name == "run" and document["machine"]:
            machine = schema_of("machine")
            found += faults(document["machine"], machine, machine, what + ".machine")
        for fault in found[:20]:
            print(fault)
            code = 1

    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, ASSAY_BOOK=os.path.join(home, "book.db"))
        read = lambda *arguments, **more: json.loads(output(*arguments, **more), object_pairs_hook=unique)
        look("machine", read("machine", "--json"), "machine")
        look("list", read("list", "--json"), "list")
        look("list", read("list", "self", "--json"), "list self")
        look("run", read("run", "self.known", "--rounds", "6", "--budget", "1s", "--label", "a=1", "--label", "a=2",
                         "--json", "--quiet"), "run")
        # Derived figures, curves, points that fail.
        look("run", read("run", "cpu.op:int_add", "cpu.op:int_mul", "self.faulty", "--rounds", "1", "--budget", "1s",
                         "--json", "--quiet", allowed=(0, 1, 4)), "run of faults")
        look("run", read("export", "latest", "--raw"), "export --raw")
        look("run", read("show", "--json"), "show --json")
        look("runs", read("runs", "--json"), "runs")
        # A document that is wrong must be found wrong, or nothing above means anything.
        wrong = read("runs", "--json")
        wrong["runs"][0]["surprise"] = 1
        wrong["runs"][0]["points"] = -1
        del wrong["runs"][0]["id"]
        schema = schema_of("runs")
        assert len(list(faults(wrong, schema, schema, "wrong"))) == 3, "the validator finds nothing"
    sys.exit(code)


main()
