"""XML from outside: no document type, no entities, nothing fetched, bounded in size and depth.

A document type is what entity expansion and external entities need, and no UBL document has one: it is refused before
anything is parsed, and again by the parser, which expands nothing (lxml over libxml2; docs/decisions/dependencies.md).
"""

from lxml import etree

from deskworld_erp.documents.ubl.refused import DocumentRefused

MOST_BYTES = 4 * 1024 * 1024
_DOCTYPE = tuple(
    "<!DOCTYPE".encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
)


def parsed(content: bytes) -> etree._Element:
    """The root element. Raises DocumentRefused. libxml2 itself stops at 256 levels and at 10 MB of one text."""
    if len(content) > MOST_BYTES:
        raise DocumentRefused("document", None, f"larger than {MOST_BYTES} bytes", "Send it without its attachments.")
    if any(mark in content for mark in _DOCTYPE):
        raise _document_type()
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        no_network=True,
        huge_tree=False,
        recover=False,
        collect_ids=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        why = f"not well-formed XML ({str(error)[:200]})"
        raise DocumentRefused("document", None, why, "Send the file as the vendor's system wrote it.") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise _document_type()
    return root


def _document_type() -> DocumentRefused:
    return DocumentRefused(
        "document", "<!DOCTYPE", "a document type is not taken, nor are entities", "Send it without its DOCTYPE."
    )
