"""One convex problem for every kernel trainer, and several ways to solve it."""
