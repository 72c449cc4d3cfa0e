/** The dark theme matches the server's: values computed by teamspace/branding/domain/dark.py. */

import { expect, test } from "vitest";

import { takenApart } from "./colour";
import { ratio, readings } from "./contrast";
import { derived } from "./dark";
import { nearest } from "./nearest";
import { BASE, BASE_DARK, spelt, type Theme } from "./tokens";

const CASES: [string, Partial<Theme>, Partial<Theme>][] = [
  ["the base theme", {}, BASE_DARK],
  [
    "a violet company with serifs",
    { background: "#f7f5fb", accent: "#5b3fa8", link: "#4a3391", focus: "#7a5cd6", radius: 12, font: "serif" },
    { background: "#120d1c", surface: "#1e1d1b", accent: "#836bc7", accent_text: "#0d0a15", link: "#8f79d0", focus: "#7a5cd6", radius: 12, font: "serif" },
  ],
  [
    "a green company",
    { background: "#f4f7f6", accent: "#0b5c4a", link: "#0a5f77", border: "#d5dfdc", radius: 4, font: "system" },
    { background: "#111815", border: "#2b3834", accent: "#7ff0d7", accent_text: "#0a1512", link: "#88ddf5", text: "#f1eee9" },
  ],
  ["a grey accent, which has no hue", { accent: "#808080" }, { accent: "#999999", accent_text: "#0f0f0f" }],
  ["black text", { text: "#000000", surface: "#fafafa" }, { text: "#ffffff", surface: "#1d1d1d" }],
  [
    "colours that need several steps",
    {
      background: "#7131a3", surface: "#442f7d", text: "#49dbcd", text_muted: "#9df154", border: "#5c882b", accent: "#6030a1",
      accent_text: "#2025e0", link: "#69736b", focus: "#daed60", success: "#e807c8", warning: "#7f31c4",
    },
    {
      background: "#150d1c", surface: "#191328", text: "#49dbcd", text_muted: "#9df154", border: "#334320", accent: "#9162d0",
      accent_text: "#0e0a15", link: "#8c968e", focus: "#daed60", danger: "#ff8a80", success: "#f817d8", warning: "#a264d8",
    },
  ],
];

test.each(CASES)("%s is turned round as the server does it", (_, light, dark) => {
  expect(derived({ ...BASE, ...light })).toMatchObject(dark);
});

test("contrast is WCAG's", () => {
  expect(ratio("#000000", "#ffffff")).toBe(21);
  expect(ratio("#e8c100", "#faf9f7")).toBeCloseTo(1.655, 2);
  expect(readings(BASE).every((reading) => reading.passes)).toBe(true);
  expect(readings(BASE_DARK).every((reading) => reading.passes)).toBe(true);
});

test("the nearest that passes keeps the hue and is barely enough", () => {
  const yellow = { ...BASE, link: "#e8c100" };
  const found = nearest("link", yellow) ?? "";
  expect(takenApart(found).hue).toBeCloseTo(takenApart(yellow.link).hue, 2);
  expect(ratio(found, BASE.background)).toBeGreaterThanOrEqual(4.5);
  expect(ratio(found, BASE.background)).toBeLessThan(4.6);
});

test("where no shade passes on both grounds, none is offered", () => {
  expect(nearest("link", { ...BASE, background: "#ffffff", surface: "#000000" })).toBeDefined();
  expect(nearest("link", { ...BASE, background: "#ffffff", surface: "#555555" })).toBeUndefined();
});

test("colours are read in any usual spelling", () => {
  expect([spelt("0F6B62"), spelt(" #0f6b62 "), spelt("#abc"), spelt("teal"), spelt("#12345")]).toEqual(
    ["#0f6b62", "#0f6b62", "#aabbcc", undefined, undefined],
  );
});
