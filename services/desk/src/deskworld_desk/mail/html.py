"""HTML as a person would read it, and what it hides from them."""

import re
from dataclasses import dataclass
from html import unescape

# Mail bodies are short; beyond this nothing is read (the text says so through a defect).
HTML_LIMIT = 500_000

_SILENT = {"script", "style", "head", "title", "template", "noscript", "svg", "object"}
_BREAKING = {
    "p",
    "div",
    "br",
    "tr",
    "li",
    "ul",
    "ol",
    "table",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "pre",
    "section",
}
_VOID = {"br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr"}
_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9:-]*)")
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:\.0+)?(?:px|pt|em|rem|%)?\s*(?:[;\"'!]|$)|"
    r"opacity\s*:\s*0(?:\.0+)?\s*(?:[;\"'!]|$)|max-height\s*:\s*0|(?<![-\w])color\s*:\s*(?:#fff(?:fff)?|white)\b|"
    r"text-indent\s*:\s*-\d{3,}|left\s*:\s*-\d{3,}|\shidden(?:\s|=|/|>|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Page:
    """`text` holds everything written, hidden parts included; quoted blocks stand behind "> "."""

    text: str
    hides: bool


def read_html(source: str) -> Page:
    reader = _Reader()
    position = 0
    while position < len(source):
        start = source.find("<", position)
        if start < 0:
            reader.words(source[position:])
            break
        reader.words(source[position:start])
        if source.startswith("<!--", start):
            end = source.find("-->", start + 4)
            position = len(source) if end < 0 else end + 3
            continue
        end = source.find(">", start)
        if end < 0:
            reader.words(source[start:])
            break
        reader.tag(source[start + 1 : end])
        position = end + 1
    return Page(reader.text(), reader.hides)


class _Reader:
    def __init__(self) -> None:
        self.hides = False
        self._pieces: list[str] = []
        self._open: list[tuple[str, bool]] = []  # name, and whether this element hides what is in it
        self._silent = 0
        self._hidden = 0
        self._quoted = 0

    def words(self, raw: str) -> None:
        if self._silent or not raw:
            return
        text = re.sub(r"[ \t\r\n\f]+", " ", unescape(raw))
        if self._hidden and text.strip():
            self.hides = True
        self._pieces.append(text)

    def tag(self, inside: str) -> None:
        named = _NAME.match(inside)
        if not named:
            return
        name = named.group(1).lower()
        if name in _BREAKING:
            self._pieces.append("\n")
        if inside.startswith("/"):
            self._end(name)
        elif name not in _VOID and not inside.endswith("/"):
            self._begin(name, hides=bool(_HIDDEN.search(inside)))
        if name == "blockquote":
            self._pieces.append("\x02" if not inside.startswith("/") else "\x03")

    def _begin(self, name: str, *, hides: bool) -> None:
        self._open.append((name, hides))
        self._hidden += hides
        self._silent += name in _SILENT

    def _end(self, name: str) -> None:
        # Only the last few open elements are looked at: a page of unclosed tags must not cost the square of its length.
        for depth in range(1, min(len(self._open), 50) + 1):
            if self._open[-depth][0] == name:
                for closed, hides in self._open[-depth:]:
                    self._hidden -= hides
                    self._silent -= closed in _SILENT
                del self._open[-depth:]
                return

    def text(self) -> str:
        depth = 0
        lines = []
        for line in "".join(self._pieces).split("\n"):
            depth = max(0, depth + line.count("\x02") - line.count("\x03"))
            words = line.replace("\x02", "").replace("\x03", "").replace("\xa0", " ").strip()
            lines.append(f"> {words}" if depth and words else words)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
