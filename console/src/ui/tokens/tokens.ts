/** Theme tokens as on the server: the base theme, light and dark, and minimum contrasts. */

import type { Schemas } from "@/api/client";

export type Theme = Required<Schemas["Theme"]>;
export type Font = Theme["font"];
export type Colour = Exclude<keyof Theme, "radius" | "font">;

export const BASE: Theme = {
  background: "#faf9f7",
  surface: "#ffffff",
  text: "#1f1d1a",
  text_muted: "#625d56",
  border: "#e4e0da",
  accent: "#0f6b62",
  accent_text: "#ffffff",
  link: "#0b6285",
  focus: "#2f6fed",
  danger: "#b3261e",
  success: "#1b6e3a",
  warning: "#8a5300",
  radius: 8,
  font: "inter",
};

export const BASE_DARK: Theme = {
  background: "#151413",
  surface: "#1e1d1b",
  text: "#f1eee9",
  text_muted: "#aaa49b",
  border: "#35322e",
  accent: "#5cc9b8",
  accent_text: "#06211d",
  link: "#7cc4ea",
  focus: "#8ab4ff",
  danger: "#ff8a80",
  success: "#7fd694",
  warning: "#f0b860",
  radius: 8,
  font: "inter",
};

export const WIDEST_RADIUS = 24;
export const FONTS: readonly Font[] = ["inter", "system", "serif", "mono"];

/** In the order people choose them. */
export const COLOURS: Record<"brand" | "ground" | "reading" | "meaning", readonly Colour[]> = {
  brand: ["accent", "accent_text", "link", "focus"],
  ground: ["background", "surface", "border"],
  reading: ["text", "text_muted"],
  meaning: ["danger", "success", "warning"],
};

/** Minimum contrast of two tokens. */
export interface Floor {
  foreground: Colour;
  background: Colour;
  ratio: number;
}

const floor = (foreground: Colour, background: Colour, ratio: number): Floor => ({ foreground, background, ratio });

export const FLOORS: readonly Floor[] = [
  floor("text", "background", 4.5),
  floor("text", "surface", 4.5),
  floor("text_muted", "background", 4.5),
  floor("text_muted", "surface", 4.5),
  floor("link", "background", 4.5),
  floor("link", "surface", 4.5),
  floor("accent_text", "accent", 4.5),
  floor("danger", "surface", 4.5),
  floor("success", "surface", 4.5),
  floor("warning", "surface", 4.5),
  floor("focus", "background", 3),
];

/** A colour in the server's format, or undefined if it isn't one. */
export function spelt(text: string): string | undefined {
  const found = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(text.trim());
  if (!found?.[1]) return undefined;
  const digits = found[1].length === 3 ? found[1].replace(/./g, "$&$&") : found[1];
  return `#${digits.toLowerCase()}`;
}

export function same(one: Theme, other: Theme): boolean {
  return (Object.keys(BASE) as (keyof Theme)[]).every((token) => one[token] === other[token]);
}
