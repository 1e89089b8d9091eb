"""Generic composition: services, layers, their places, and stacks of them."""

from remit.core.layer import Layer, Placed, compose
from remit.core.place import RULES, Place, Rule, check_order
from remit.core.service import Service
from remit.core.stack import Stack

__all__ = ["RULES", "Layer", "Place", "Placed", "Rule", "Service", "Stack", "check_order", "compose"]
