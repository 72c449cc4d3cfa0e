/** Formats bytes, durations and percentages in the current locale. */

import { numberFormat } from "@/i18n";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

const inUnit = (value: number, unit: string, digits: number, unitDisplay: "short" | "long" = "short"): string =>
  numberFormat({ style: "unit", unit, unitDisplay, maximumFractionDigits: digits }).format(value);

/** `73 MB`: powers of 1000, for disk and memory. */
export function bytes(value: number): string {
  const step = value < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1000 ** step;
  // The short unit would read "22 byte".
  return inUnit(scaled, UNITS[step] ?? "byte", scaled < 10 && step > 0 ? 1 : 0, step === 0 ? "long" : "short");
}

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** `5 GiB`: powers of 1024, as storage limits are set. */
export function capacity(value: number): string {
  const step = value < 1 ? 0 : Math.min(BINARY.length - 1, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** step;
  const digits = scaled < 10 && step > 0 ? 1 : 0;
  return `${numberFormat({ maximumFractionDigits: digits }).format(scaled)} ${BINARY[step] ?? "B"}`;
}

/** `4.2 ms`, `1.3 sec`. */
export function milliseconds(value: number): string {
  if (value >= 1000) return inUnit(value / 1000, "second", 1);
  return inUnit(value, "millisecond", value < 10 ? 1 : 0);
}

const LENGTHS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]] as const;

/** `2 days 4 hours`: the two largest non-zero units. */
export function duration(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, length] of LENGTHS) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 || (unit === "second" && parts.length === 0)) parts.push(inUnit(count, unit, 0, "long"));
  }
  return parts.slice(0, 2).join(" ");
}

export function percent(share: number): string {
  return numberFormat({ style: "percent", maximumFractionDigits: share > 0 && share < 0.1 ? 1 : 0 }).format(share);
}

/** Two significant digits: `0.42`, `12`. */
export function figure(value: number): string {
  return numberFormat({ maximumSignificantDigits: value < 10 ? 2 : 3 }).format(value);
}
