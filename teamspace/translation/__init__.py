"""Translation with a glossary and checks."""
