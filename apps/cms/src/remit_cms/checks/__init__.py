"""Checks of what visitors are about to see: they remark, and refuse nothing."""
