"""The simulated model: deterministic and offline, for demonstrations and tests. The same request has the same answer.

It repeats the prompt and says what it is, and behaves like a real model where programs depend on it:

- **Streams** come word by word; tokens are estimated; `max_tokens` cuts the text.
- **Response formats**: it writes a minimal value for the schema. Values that the prompt names are used: `Total: 42` for
  a property `total`. The schema named `translation` gets every segment back, marked with the language. For the one
  named `fields` it reads labels, columns and tables of the document, and invents nothing. The schema
  named `knowledge` gets the capitalised names of a text as entities: by their endings or the word before them they are
  organisations or places, by their length people; dates are events. Two in one sentence are in a relation.
- **Tools**: sentences of the prompt that begin with a tool's name are calls, one for each round: `Use search: budget`,
  `Search for the budget`, `Create a note titled Budget saying We have none`, `Read note n1`. Arguments can also be
  given as JSON: `Use search {"query": "budget"}`. Then it says what the tools have returned.
- **Sources** (`<source id="1">`): it answers with the sentence that has most words of the prompt, and cites it as
  `[^1: "exact words"]`. The name of an entity (`<entity id="1">`) counts as words of the prompt.

If SERVICE_SIMULATE is on, markers in the prompt make it misbehave:

- `[simulate:stop]` stops early, `[simulate:hang]` never answers, `[simulate:slow:3]` takes three seconds.
- `[simulate:fail]` fails, `[simulate:fail:2]` in the first two attempts.
- `[simulate:bad-json]` breaks the response format, `[simulate:bad-json:1]` only in the first answer.
- `[simulate:lose-placeholder]` loses placeholders in translations, `[simulate:lose-placeholder:1]` not in corrected ones.
- `[simulate:false-quote]` cites words that are in no source.
- `[simulate:tool:NAME {"argument": 1}]` calls any tool, also one that was not offered.
"""

from teamspace.ai.domain.simulated.model import NAME, Simulated

__all__ = ["NAME", "Simulated"]
