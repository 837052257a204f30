"""Serves a GGUF file over OpenAI's Chat Completions, by the llama.cpp that the wheel xllamacpp carries.

`serve.py MODEL` says its address in a line of JSON once it can be asked, and serves until its standard input ends.
"""

import json
import sys
from pathlib import Path

import xllamacpp

NAME = "smollm2"
TEMPLATE = Path(__file__).with_name("chat.jinja")
CONTEXT = 8192
"""Tokens; what SmolLM2 was trained with. A turn that has grown longer is refused by the server."""
ANSWER = 256
"""Tokens of one answer at most: a model this small can go on for ever."""
SEED = 7


def served(model: str) -> xllamacpp.Server:
    """On a free port of the loopback. Its `/metrics` say how many tokens it worked on by its own count."""
    asked = xllamacpp.CommonParams()
    asked.model.path = model
    asked.chat_template = TEMPLATE.read_text(encoding="utf-8")
    asked.use_jinja = True
    asked.hostnames = ["127.0.0.1"]
    asked.port = 0
    asked.n_ctx = CONTEXT
    asked.n_parallel = 1
    asked.n_predict = ANSWER
    # two threads wait for each other in vain where the processors have other work too
    asked.cpuparams.n_threads = asked.cpuparams_batch.n_threads = 1
    asked.endpoint_metrics = True
    asked.ui = False
    asked.sampling.seed = SEED
    asked.sampling.temp = 0.0
    return xllamacpp.Server(asked)


if __name__ == "__main__":
    server = served(sys.argv[1])
    sys.stdout.write(json.dumps({"model": NAME, "address": server.listening_address}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
