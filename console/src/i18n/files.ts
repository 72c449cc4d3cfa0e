/** Addresses of the catalog files, listed in the page; each contains a digest of its content. */

type Files = Readonly<Record<string, string>>;

function filesOfPage(): Files {
  const meta = typeof document === "undefined" ? null : document.querySelector<HTMLMetaElement>("meta[name=catalogs]");
  return meta ? (JSON.parse(meta.content) as Files) : {};
}

/** The file of a locale, or of the nearest there is; the first is the default. */
export function fileOf(wanted: string, files = filesOfPage()): string | undefined {
  const [language = "", ...rest] = wanted.split("-");
  for (let length = rest.length; length >= 0; length -= 1) {
    const found = files[[language.toLowerCase(), ...rest.slice(0, length)].join("-")];
    if (found) return found;
  }
  return Object.values(files)[0];
}
