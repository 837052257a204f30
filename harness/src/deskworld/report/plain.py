"""Text from outside, made harmless for a terminal or a page: shown as it is, with what could act made visible."""

import re
import unicodedata

# control and format characters (escape sequences, bidirectional overrides), separators that break lines, half pairs
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"})
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~$-])")


def plain(text: str) -> str:
    return "".join(one if unicodedata.category(one) not in _ACTING else _visible(one) for one in text)


def in_markdown(text: str) -> str:
    """Nothing in it is a mark-up, a link or a tag."""
    shown = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", shown)


def _visible(one: str) -> str:
    return f"\\u{ord(one):04x}" if ord(one) <= 0xFFFF else f"\\U{ord(one):08x}"
