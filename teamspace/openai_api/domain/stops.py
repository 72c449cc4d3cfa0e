"""End a streamed answer before the first of the client's stop sequences."""


class StopFilter:
    """Passes text on as it arrives, but holds back what could be the beginning of a stop sequence."""

    def __init__(self, sequences: tuple[str, ...]) -> None:
        self._sequences = sequences
        self._held = ""
        self.stopped = False
        """Whether a sequence was found: all text after it is dropped."""

    @property
    def watches(self) -> bool:
        """Whether there is a sequence to find; if not, all text passes."""
        return bool(self._sequences)

    def feed(self, text: str) -> str:
        """Return the text that can be shown now."""
        if self.stopped or not self._sequences:
            return "" if self.stopped else text
        text = self._held + text
        found = [at for sequence in self._sequences if (at := text.find(sequence)) >= 0]
        if found:
            self.stopped, self._held = True, ""
            return text[: min(found)]
        keep = max(_overlap(text, sequence) for sequence in self._sequences)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def flush(self) -> str:
        """Return what was held back: the answer is complete."""
        held, self._held = self._held, ""
        return held


def _overlap(text: str, sequence: str) -> int:
    """Return how many characters at the end of the text are the beginning of the sequence."""
    longest = min(len(text), len(sequence) - 1)
    return next((size for size in range(longest, 0, -1) if sequence.startswith(text[-size:])), 0)
