"""The policy server: OPA's data API over the repository's Rego bundle, evaluated by regorus."""
