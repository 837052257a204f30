"""The floor under the services: settings, database, identity, problem documents, clock, outbox, health, telemetry.

Knows no service, no world and no harness.
"""
