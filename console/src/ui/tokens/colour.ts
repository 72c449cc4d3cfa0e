/** RGB and HLS conversion, bit for bit like Python's colorsys. */

export interface Parts {
  hue: number;
  lightness: number;
  saturation: number;
}

export function channels(colour: string): [number, number, number] {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function takenApart(colour: string): Parts {
  const [red, green, blue] = channels(colour).map((channel) => channel / 255) as [number, number, number];
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  const lightness = (most + least) / 2;
  if (most === least) return { hue: 0, lightness, saturation: 0 };
  const range = most - least;
  const saturation = lightness <= 0.5 ? range / (most + least) : range / (2 - most - least);
  const [fromRed, fromGreen, fromBlue] = [(most - red) / range, (most - green) / range, (most - blue) / range];
  const sixth = red === most ? fromBlue - fromGreen : green === most ? 2 + fromRed - fromBlue : 4 + fromGreen - fromRed;
  return { hue: wrapped(sixth / 6), lightness, saturation };
}

export function putTogether({ hue, lightness, saturation }: Parts): string {
  const light = Math.max(0, Math.min(1, lightness));
  if (saturation === 0) return printed([light, light, light]);
  const high = light <= 0.5 ? light * (1 + saturation) : light + saturation - light * saturation;
  const low = 2 * light - high;
  return printed([channel(low, high, hue + 1 / 3), channel(low, high, hue), channel(low, high, hue - 1 / 3)]);
}

function channel(low: number, high: number, hue: number): number {
  const place = wrapped(hue);
  if (place < 1 / 6) return low + (high - low) * place * 6;
  if (place < 0.5) return high;
  if (place < 2 / 3) return low + (high - low) * (2 / 3 - place) * 6;
  return low;
}

const printed = (shares: [number, number, number]): string =>
  `#${shares.map((share) => rounded(share * 255).toString(16).padStart(2, "0")).join("")}`;

/** Rounds half to even, like Python's round. */
function rounded(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

/** Modulo as in Python: the result isn't negative. */
function wrapped(turn: number): number {
  const rest = turn % 1;
  return rest < 0 ? rest + 1 : rest;
}
