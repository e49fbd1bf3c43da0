"""Budgets, counts and scopes: what is measured around the engine, which knows none of them."""
