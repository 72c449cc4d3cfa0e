"""Rules of translation: segments, protection, checks, the engine, glossaries and history."""
