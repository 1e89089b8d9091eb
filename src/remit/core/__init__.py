"""Generic composition: services, layers, places and stacks."""

from remit.core.layer import HasPlace, Layer, compose
from remit.core.place import ORDER_RULES, OUTSIDE, OrderRule, Place, check_order
from remit.core.service import Service
from remit.core.stack import Stack

__all__ = [
    "ORDER_RULES",
    "OUTSIDE",
    "HasPlace",
    "Layer",
    "OrderRule",
    "Place",
    "Service",
    "Stack",
    "check_order",
    "compose",
]
