/** Derives the dark theme as the server does: same hues, lightness inverted until every minimum contrast is met. */

import { putTogether, takenApart } from "./colour";
import { ratio } from "./contrast";
import { BASE, BASE_DARK, FLOORS, type Colour, type Theme } from "./tokens";

const GROUNDS = { background: 0.08, surface: 0.115, border: 0.195 } as const;
const FIGURES = ["text", "text_muted", "link", "focus", "danger", "success", "warning"] as const;
const CALM = 0.35;
const LIGHTEST_ACCENT = 0.72;
const DARKEST = 0.06;
const STEP = 0.01;

/** A base token becomes the base's dark token; any other is derived. */
export function derived(light: Theme): Theme {
  const dark: Theme = { ...BASE_DARK, radius: light.radius, font: light.font };
  for (const token of Object.keys(GROUNDS) as (keyof typeof GROUNDS)[]) {
    if (light[token] !== BASE[token]) dark[token] = ground(light[token], GROUNDS[token]);
  }
  const figures = FIGURES.map((token) => {
    const colour = light[token] === BASE[token] ? BASE_DARK[token] : light[token];
    return [token, readable(token, colour, dark)] as const;
  });
  return { ...dark, ...Object.fromEntries(figures), ...accent(light) };
}

function ground(colour: string, lightness: number): string {
  const { hue, saturation } = takenApart(colour);
  return putTogether({ hue, lightness, saturation: Math.min(saturation, CALM) });
}

/** The first lightness from the inverted one towards white with enough contrast on every background. */
function readable(token: Colour, colour: string, theme: Theme): string {
  const floors = FLOORS.filter((floor) => floor.foreground === token);
  return first(colour, (step) => floors.every((floor) => ratio(step, theme[floor.background]) >= floor.ratio));
}

/** The accent is a background, too: it gets lighter until dark text of its hue is readable on it. */
function accent(light: Theme): Pick<Theme, "accent" | "accent_text"> {
  if (light.accent === BASE.accent && light.accent_text === BASE.accent_text) {
    return { accent: BASE_DARK.accent, accent_text: BASE_DARK.accent_text };
  }
  const { hue, lightness, saturation } = takenApart(light.accent);
  const text = putTogether({ hue, lightness: DARKEST, saturation: Math.min(saturation, CALM) });
  const floor = FLOORS.find((each) => each.background === "accent")?.ratio ?? 0;
  const start = putTogether({ hue, lightness: Math.min(Math.max(1 - lightness, 0.6), LIGHTEST_ACCENT), saturation });
  return { accent: first(start, (step) => ratio(text, step) >= floor), accent_text: text };
}

function first(colour: string, suits: (step: string) => boolean): string {
  const { hue, lightness, saturation } = takenApart(colour);
  const start = lightness > 0.5 ? lightness : 1 - lightness;
  const steps = Math.trunc((1 - start) / STEP) + 1;
  for (let step = 0; step < steps; step += 1) {
    const lighter = putTogether({ hue, lightness: start + STEP * step, saturation });
    if (suits(lighter)) return lighter;
  }
  return "#ffffff";
}
