/** Readable name of a client: `Firefox on Linux`. */

/** Order matters: most browsers also claim to be those further down. */
const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\/|Opera/, "Opera"],
  [/Vivaldi\//, "Vivaldi"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(Headless)?Chrom(e|ium)\/|CriOS\//, "Chrome"],
  [/Version\/.* Safari\//, "Safari"],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/Android/, "Android"],
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux|X11/, "Linux"],
];

export interface Agent {
  browser: string;
  system?: string;
  /** Phone or tablet. */
  handheld: boolean;
}

/** Scripts identify as `curl/8.5.0`, which is readable enough. */
export function agentOf(text: string): Agent | undefined {
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1];
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1] ?? /^([\w.-]{2,40})(\/|$)/.exec(text)?.[1];
  if (!browser || browser === "Mozilla") return undefined;
  return { browser, system, handheld: /Android|iPhone|iPad|Mobile/.test(text) };
}
