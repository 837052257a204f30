"""What a service tells of itself to those who run it: logs always, spans and metrics where its settings say so.

Nothing here imports OpenTelemetry's SDK or the Prometheus client but `spans` and `metrics`, which are imported when
they are turned on.
"""
