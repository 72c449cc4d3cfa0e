"""The console in a real browser. A package, so that its browser ends with it."""
