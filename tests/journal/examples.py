"""How many examples a property of the journal is tried on."""

from hypothesis import HealthCheck, settings

some = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
"""As many examples as a quick test takes, on a busy machine too."""
