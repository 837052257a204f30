"""A page of a door's OpenAPI document, for people: rendered here, without scripts, and nothing comes from elsewhere."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import HTMLResponse, Response

POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { overflow-x: auto; padding: 0.6rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
details { border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: 0.4rem 0; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
table { border-collapse: collapse; }
td, th { text-align: left; vertical-align: top; padding: 0.15rem 0.8rem 0.15rem 0; }
nav a { margin-right: 0.8rem; }
"""


def api_page(app: FastAPI, path: str = "/docs") -> APIRouter:
    """Serves the page at `path`. It shows what `app.openapi()` says, and needs no network but this door."""
    router = APIRouter(include_in_schema=False)

    @router.get(path)
    async def page() -> Response:
        return HTMLResponse(rendered(app.openapi(), f"{path}/style.css"), headers=HEADERS)

    @router.get(f"{path}/style.css")
    async def style() -> Response:
        return Response(STYLE, media_type="text/css", headers=HEADERS)

    return router


def rendered(document: Mapping[str, Any], style: str) -> str:
    info, groups = document["info"], _by_tag(document)
    links = "".join(f'<a href="#{_anchor(tag)}">{escape(tag)}</a>' for tag in groups)
    parts = [
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(info["title"])}</title>',
        f'<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="{style}"></head><body>',
        f"<h1>{escape(info['title'])} <small>{escape(info['version'])}</small></h1>",
        f"<p>{escape(info.get('description', ''))}</p>",
        *(f"<p>{escape(one.get('description', ''))}</p>" for one in _credentials(document)),
        f'<nav>{links}<a href="#shapes">shapes</a><a href="/openapi.json">openapi.json</a></nav>',
    ]
    for tag, operations in groups.items():
        parts.append(f'<h2 id="{_anchor(tag)}">{escape(tag)}</h2>')
        parts += [_operation(*one) for one in operations]
    parts.append('<h2 id="shapes">shapes</h2>')
    schemas = document.get("components", {}).get("schemas", {})
    parts += [_shape(name, schema) for name, schema in sorted(schemas.items())]
    return "\n".join([*parts, "</body></html>"])


def _by_tag(document: Mapping[str, Any]) -> dict[str, list[tuple[str, str, Mapping[str, Any]]]]:
    groups: dict[str, list[tuple[str, str, Mapping[str, Any]]]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            tag = (operation.get("tags") or ["other"])[0]
            groups.setdefault(tag, []).append((method.upper(), path, operation))
    return groups


def _credentials(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from document.get("components", {}).get("securitySchemes", {}).values()


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> str:
    head = f"<summary><b>{method}</b> <code>{escape(path)}</code> {escape(operation.get('summary', ''))}</summary>"
    parts = [head, f"<p>{escape(operation.get('description', ''))}</p>"]
    if operation.get("parameters"):
        rows = "".join(_parameter(one) for one in operation["parameters"])
        parts.append(f"<table><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr>{rows}</table>")
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        parts.append(f"<p>body: <code>{escape(media_type)}</code> {_type(content.get('schema', {}))}</p>")
        parts += _examples(content)
    for status, answer in operation["responses"].items():
        parts.append(_answer(status, answer))
    return f'<details id="{escape(operation["operationId"])}">{"".join(parts)}</details>'


def _parameter(one: Mapping[str, Any]) -> str:
    needed = "" if one.get("required") else " (optional)"
    cells = f"<td>{escape(one['in'])}{needed}</td><td>{_type(one.get('schema', {}))}</td>"
    return f"<tr><td><code>{escape(one['name'])}</code></td>{cells}<td>{escape(one.get('description', ''))}</td></tr>"


def _answer(status: str, answer: Mapping[str, Any]) -> str:
    said = f"<b>{escape(status)}</b> {escape(answer.get('description', ''))}"
    contents = answer.get("content", {})
    if not contents:
        return f"<p>{said}</p>"
    inside = [
        f"<p><code>{escape(media_type)}</code> {_type(content.get('schema', {}))}</p>{''.join(_examples(content))}"
        for media_type, content in contents.items()
    ]
    return f"<details><summary>{said}</summary>{''.join(inside)}</details>"


def _examples(content: Mapping[str, Any]) -> Iterator[str]:
    named = {"": {"value": content["example"]}} if "example" in content else content.get("examples", {})
    for name, one in named.items():
        value = one.get("value")
        text = value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)
        yield f"{escape(name)}<pre>{escape(text)}</pre>"


def _shape(name: str, schema: Mapping[str, Any]) -> str:
    needed = schema.get("required", ())
    rows = "".join(
        f"<tr><td><code>{escape(field)}</code>{'' if field in needed else ' (optional)'}</td><td>{_type(one)}</td>"
        f"<td>{escape(one.get('description', ''))}</td></tr>"
        for field, one in schema.get("properties", {}).items()
    )
    body = f"<table>{rows}</table>" if rows else f"<p>{_type(schema)}</p>"
    about = escape(schema.get("description", ""))
    head = f"<summary><code>{escape(name)}</code></summary><p>{about}</p>"
    return f'<details id="shape-{escape(name)}">{head}{body}</details>'


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#shape-{name}">{name}</a>'
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " or ".join(_type(one) for one in schema[choice])
    if "enum" in schema:
        return " · ".join(f"<code>{escape(str(one))}</code>" for one in schema["enum"])
    if "const" in schema:
        return f"<code>{escape(str(schema['const']))}</code>"
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    words = [str(schema.get("type", "any")), *(str(schema[key]) for key in ("format", "pattern") if key in schema)]
    return escape(" ".join(words))


def _anchor(tag: str) -> str:
    return "tag-" + escape(tag.replace(" ", "-"))
