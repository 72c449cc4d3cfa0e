/** SVG paths for line charts: newest point at the right edge, gaps where there's no data. */

export interface Point {
  at: number;
  value: number | null;
}

export const WIDTH = 600;
export const HEIGHT = 120;
const SHORTEST = 60_000;

/** Time span of the chart: that of the data, but at least a minute. */
export function spanOf(points: readonly Point[]): number {
  return Math.max(SHORTEST, (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0));
}

type Place = readonly [x: number, y: number];

/** Rounds up to 1, 2 or 5 times a power of ten. */
export function ceilingOf(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

export function lineOf(points: readonly Point[], top: number): string {
  return runs(points, top)
    .map((run) => `M${run.map(written).join("L")}`)
    .join("");
}

export function areaOf(points: readonly Point[], top: number): string {
  return runs(points, top)
    .map((run) => `M${run[0]?.[0]} ${HEIGHT}L${run.map(written).join("L")}L${run.at(-1)?.[0]} ${HEIGHT}Z`)
    .join("");
}

const written = ([x, y]: Place): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** A single point is drawn as a short line, or it would be invisible. */
function runs(points: readonly Point[], top: number): Place[][] {
  const end = points.at(-1)?.at ?? 0;
  const span = spanOf(points);
  const found: Place[][] = [[]];
  for (const { at, value } of points) {
    if (value === null) found.push([]);
    else found.at(-1)?.push([WIDTH - ((end - at) / span) * WIDTH, HEIGHT - (value / top) * HEIGHT]);
  }
  return found.filter((run) => run.length > 0).map((run) => (run.length > 1 ? run : [[(run[0]?.[0] ?? 0) - 2, run[0]?.[1] ?? 0], ...run]));
}

export interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
}

const BETWEEN = 0.25;
const LEAST_SEEN = 2;

/** One bar per value, with gaps; non-zero values have a minimum height. */
export function barsOf(values: readonly number[], top: number): Bar[] {
  const step = WIDTH / Math.max(1, values.length);
  return values.map((value, place) => {
    const height = value > 0 ? Math.max(LEAST_SEEN, (value / top) * HEIGHT) : 0;
    return { x: step * (place + BETWEEN / 2), y: HEIGHT - height, width: step * (1 - BETWEEN), height };
  });
}
