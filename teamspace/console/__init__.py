"""The console: the pages that a browser is served."""
