"""Defects planted in Remit on purpose. A figure that stays right under one of its mutants measures nothing."""
