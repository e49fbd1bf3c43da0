"""The operations: of each its rule, what it saves and its gradients, and what records it."""
