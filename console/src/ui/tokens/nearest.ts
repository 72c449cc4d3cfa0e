/** The closest colour of the same hue with enough contrast: changes only the lightness. */

import { putTogether, takenApart } from "./colour";
import { reading } from "./contrast";
import { FLOORS, type Colour, type Theme } from "./tokens";

const STEPS = 500;

/** Undefined if no lightness meets every minimum contrast of the token. */
export function nearest(token: Colour, theme: Theme): string | undefined {
  const floors = FLOORS.filter((floor) => floor.foreground === token || floor.background === token);
  const parts = takenApart(theme[token]);
  for (let step = 1; step <= STEPS; step += 1) {
    for (const direction of [-1, 1]) {
      const lightness = parts.lightness + (direction * step) / STEPS;
      if (lightness < 0 || lightness > 1) continue;
      const colour = putTogether({ ...parts, lightness });
      if (floors.every((floor) => reading(floor, { ...theme, [token]: colour }).passes)) return colour;
    }
  }
  return undefined;
}
