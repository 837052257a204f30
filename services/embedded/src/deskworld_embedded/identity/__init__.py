"""The OIDC issuer: Keycloak's URLs, tokens and refusals, out of the same realm file that Keycloak imports."""
