"""Everything about teaching: this package may import minigrad, minigrad never imports it."""
