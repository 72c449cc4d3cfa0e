/** WCAG 2.2 contrast ratio, from 1 to 21, and the pairs of a theme that fail. */

import { channels } from "./colour";
import { FLOORS, type Floor, type Theme } from "./tokens";

export function ratio(one: string, other: string): number {
  const [first, second] = [luminance(one), luminance(other)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map(linear) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

export interface Reading extends Floor {
  /** Rounded down, so that 4.499 isn't shown as 4.5. */
  shown: number;
  passes: boolean;
}

export function reading(floor: Floor, theme: Theme): Reading {
  const exact = ratio(theme[floor.foreground], theme[floor.background]);
  return { ...floor, shown: Math.floor(exact * 100) / 100, passes: exact >= floor.ratio };
}

export const readings = (theme: Theme): Reading[] => FLOORS.map((floor) => reading(floor, theme));
