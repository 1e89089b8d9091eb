"""The stores that Remit ships pass the public conformance suite, as every store must."""

from remit.testing.store_suite import *  # noqa: F403 - which is how others run it
