import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { weave } from "./weave";

describe("weave", () => {
  it("merges changes of different words in one line", () => {
    expect(weave("the red crane is back", "the blue crane is back", "the red crane was back")).toBe("the blue crane was back");
  });

  it("keeps what both wrote at one place, theirs first", () => {
    expect(weave("The plan is", "The plan is good", "The plan is late")).toBe("The plan is late good");
    expect(weave("a\n", "a\nmine", "a\ntheirs")).toBe("a\ntheirs\nmine");
    expect(weave("", "mine", "theirs")).toBe("theirs\nmine");
  });

  it("keeps the line endings of the text", () => {
    expect(weave("a\r\nb\r\n", "A\r\nb\r\n", "a\r\nB\r\n")).toBe("A\r\nB\r\n");
    expect(weave("a\r\n", "a\r\nmine", "a\r\ntheirs")).toBe("a\r\ntheirs\r\nmine");
    expect(weave("one two\rb\r", "one 2\rb\r", "1 two\rb\rc")).toBe("1 2\rb\rc");
  });

  it("merges changes that touch", () => {
    expect(weave("one two", "one two three", "one too")).toBe("one too three");
    expect(weave("a\nb\nc", "a\nB\nc", "a\nb\nC")).toBe("a\nB\nC");
  });

  it("adds to a word that someone else changed", () => {
    expect(weave("colour", "colours", "Colour")).toBe("Colours");
  });

  it("asks when both changed the same word, or one changed what the other deleted", () => {
    expect(weave("house", "mouse", "horse")).toBeNull();
    expect(weave("the red crane", "the blue crane", "the green crane")).toBeNull();
    expect(weave("one two three", "one", "one 2 three")).toBeNull();
    expect(weave("a word here", "a  here", "a words here")).toBeNull();
    expect(weave("word", "words", "")).toBeNull();
  });

  it("loses no letter that one of two added, and adds none", () => {
    const words = fc.array(fc.constantFrom("a", "b", " ", "\n", "\r\n", "\r", "word", "."), { maxLength: 20 });
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat(3)), { maxLength: 4 });
    fc.assert(
      fc.property(words, edits, edits, (text, mine, theirs) => {
        const base = text.join("");
        const [ours, yours] = [edited(base, mine, 0x4e00), edited(base, theirs, 0x5e00)];
        const woven = weave(base, ours, yours);
        if (woven === null) return;
        expect(added(woven)).toEqual([...added(ours), ...added(yours)].sort());
      }),
      { numRuns: 500 },
    );
  });
});

/** Puts a letter of its own in at each place, and deletes some after it. */
function edited(text: string, edits: [number, number][], first: number): string {
  return edits.reduce((now, [place, deleted], index) => {
    const at = place % (now.length + 1);
    const rest = Array.from(now.slice(at));
    const kept = rest.filter((letter, offset) => offset >= deleted || letter >= "\u4e00");
    return now.slice(0, at) + String.fromCharCode(first + index) + kept.join("");
  }, text);
}

const added = (text: string): string[] => Array.from(text).filter((letter) => letter >= "\u4e00").sort();
