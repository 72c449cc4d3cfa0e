import { describe, expect, it } from "vitest";

import { pressed } from "../listKeys";
import { found, Letters } from "./letters";

describe("letters", () => {
  it("make a name until there is a pause", () => {
    const letters = new Letters();
    expect([letters.add("P", 0), letters.add("l", 300), letters.add(" ", 600), letters.add("ö", 2_000)]).toEqual(["p", "pl", "pl ", "ö"]);
  });

  it("leave other keys alone", () => {
    const letters = new Letters();
    expect([" ", "/", "?", "[", "Enter", "F2"].map((key) => letters.add(key, 0))).toEqual(Array(6).fill(undefined));
  });
});

describe("the name that is found", () => {
  const names = ["Alpha", "beta", "Bravo", "charlie", "Übung"];

  it("is the next that begins with the letters, from the current one on", () => {
    expect(found(names, "br", 1)).toBe(2);
    expect(found(names, "ü", 0)).toBe(4);
    expect(found(names, "al", 3)).toBe(0);
    expect(found(names, "x", 0)).toBeUndefined();
    expect(found([], "a", 0)).toBeUndefined();
  });

  it("is the next one with each time that a letter is repeated", () => {
    expect([found(names, "b", 0), found(names, "bb", 1), found(names, "bbb", 2)]).toEqual([1, 2, 1]);
  });
});

it("a key is written with its modifier", () => {
  const press = (key: string, more = {}): string | undefined => pressed({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more });
  expect(press("M", { shiftKey: true })).toBe("Shift M");
  expect(press("F10", { shiftKey: true })).toBe("Shift F10");
  expect(press("a", { metaKey: true })).toBe("Ctrl A");
  expect(press(" ")).toBe("Space");
  expect(press("ArrowUp", { altKey: true })).toBeUndefined();
});
