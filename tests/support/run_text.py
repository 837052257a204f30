"""`python -m tests.support.run_text TEXT ARGUMENTS…`: runs a program that a test holds as text."""

import sys

if __name__ == "__main__":
    text = sys.argv.pop(1)
    exec(compile(text, "<text>", "exec"), {"__name__": "__main__"})
