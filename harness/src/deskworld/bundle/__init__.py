"""A run bundle: a folder that is written once, row by row, and closed with a digest. Nothing in it is overwritten.

    runs/<time>-<label>/
      manifest.json                 what was run: settings, versions, digests
      cases/<nnnn>-<scenario>.jsonl the record, the evidence, the verdict: a line each
      verdicts.jsonl                one verdict a line, in the order in which the cases ended
      journal.jsonl                 which case is on disk, with its digest
      report.md, report.json
      DIGESTS                       SHA-256 of every file, and over all of them

Cases and journal are synced beside the play, in order; the journal's digests tell a torn file. A bundle that was cut
off is left as it is: whoever goes on with it takes its whole cases over into a bundle of their own.
"""

from deskworld.bundle.cut_off import CutOff, cut_off
from deskworld.bundle.digests import DIGESTS, digest_file
from deskworld.bundle.reading import StoredBundle, StoredCase, parsed, read_bundle, stored_case
from deskworld.bundle.writing import SCHEMA, Bundle, Status, open_bundle, prepare

__all__ = [
    "DIGESTS",
    "SCHEMA",
    "Bundle",
    "CutOff",
    "Status",
    "StoredBundle",
    "StoredCase",
    "cut_off",
    "digest_file",
    "open_bundle",
    "parsed",
    "prepare",
    "read_bundle",
    "stored_case",
]
