"""Properties take the time they take: a slow machine is no counterexample."""

from hypothesis import settings

settings.register_profile("patient", deadline=None, max_examples=25)
settings.load_profile("patient")
