"""An agent that asks a language model of any provider. It knows no scenario: it is given the turn, and a playbook.

The libraries stand in the extra `deskworld-agent[model]`, and are imported only where a model is chosen.
"""
