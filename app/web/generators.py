"""The OpenAPI document in the forms from which generators of clients make classes.

Some forms are valid and yet lose what they belong to. Members "+1" and "-1" become one
name in any language: they are told as a map with known keys. A default that is an
object beside a reference cannot be written down: it becomes a sentence. Members of
which one is required become one object each. Text without a schema gets that of a
file; of several kinds of file, generated code names the last, so CSV comes last.
"""

import json
from typing import Any

__all__ = ["readable_document"]

_FILE = {"type": "string", "format": "binary"}


def readable_document(document: dict[str, Any]) -> dict[str, Any]:
    """Return an OpenAPI document in the readable forms."""
    readable: dict[str, Any] = _readable(document)
    schemas = readable["components"]["schemas"]
    for name, schema in list(schemas.items()):
        if all(set(one) == {"required"} for one in schema.get("oneOf", ({},))):
            variants = _variants(name, schema)
            references = [{"$ref": f"#/components/schemas/{one}"} for one in variants]
            schemas |= {**variants, name: {"title": name, "oneOf": references}}
    return readable


def _readable(part: Any) -> Any:
    if isinstance(part, list):
        return [_readable(one) for one in part]
    if not isinstance(part, dict):
        return part
    schema = {
        name: value if name in ("example", "examples") else _readable(value)
        for name, value in part.items()
    }
    if "+1" in schema.get("properties", ()):
        schema = _as_map(schema)
    if schema.get("type") == "array" and "prefixItems" not in schema:
        schema.setdefault("items", {})
    if isinstance(schema.get("default"), dict) and "type" not in schema:
        schema = _default_in_words(schema)
    if "responses" in schema or "requestBody" in schema:
        for body in (
            schema.get("requestBody", {}),
            *schema.get("responses", {}).values(),
        ):
            if "content" in body:
                body["content"] = _files(body["content"])
    return schema


def _files(content: dict[str, Any]) -> dict[str, Any]:
    """Return media types with a schema each, CSV behind the other kinds of file."""
    for kind, media in content.items():
        if kind.startswith("text/"):
            media.setdefault("schema", dict(_FILE))
    return dict(sorted(content.items(), key=lambda entry: entry[0] == "text/csv"))


def _variants(title: str, schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return an object of which one of some members is required as one object each."""
    kept = {name: value for name, value in schema.items() if name != "oneOf"}
    names = [one["required"][0] for one in schema["oneOf"]]
    others = {n: v for n, v in kept["properties"].items() if n not in names}
    words = {name: name.title().replace("_", "") for name in names}
    return {
        title + words[name]: {
            **kept,
            "title": title + words[name],
            "required": [*kept.get("required", ()), name],
            "properties": {name: kept["properties"][name], **others},
        }
        for name in names
    }


def _as_map(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with decisions as keys as one of a map."""
    left = {"properties", "additionalProperties", "title"}
    kept = {name: value for name, value in schema.items() if name not in left}
    kinds: list[dict[str, Any]] = []
    for member in schema["properties"].values():
        shape = {k: v for k, v in member.items() if k not in ("title", "default")}
        if shape not in kinds:
            kinds.append(shape)
    values = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    names = list(schema["properties"])
    kept |= {"propertyNames": {"enum": names}, "additionalProperties": values}
    lines = [kept.get("description", ""), f"Keys: {', '.join(names)}."]
    kept["description"] = "\n\n".join(filter(None, lines))
    if "title" in schema:
        kept["title"] = schema["title"]
    return kept


def _default_in_words(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with its default as a sentence of the description."""
    kept = {name: value for name, value in schema.items() if name != "default"}
    lines = [kept.get("description", ""), f"Default: `{json.dumps(schema['default'])}`"]
    kept["description"] = "\n\n".join(filter(None, lines))
    return kept
