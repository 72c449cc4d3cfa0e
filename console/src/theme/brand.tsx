/** The brand on show: the page came with that of its hostname, and somebody who signs in may bring their company's. */

import { queryOptions, useQuery } from "@tanstack/react-query";
import { createContext, useContext, useEffect, type ReactNode } from "react";

import { answer, api, type Schemas } from "@/api/client";
import { useToken } from "@/api/useToken";

export type Brand = Schemas["Branding"];

type Shown = Pick<Brand, "title" | "tagline" | "logo">;

/** What is on: while another look is fetched it stays, so that nothing flashes. */
let worn: Shown = { title: "Teamspace", tagline: "", logo: null };
const Context = createContext(worn);

export const BRAND = ["branding", "shown"] as const;

export const brandQuery = (token: string | null) =>
  queryOptions({
    queryKey: [...BRAND, token],
    queryFn: () => answer(api.GET("/api/branding")),
    staleTime: 300_000,
  });

export function BrandProvider({ children }: { children: ReactNode }) {
  const { data } = useQuery(brandQuery(useToken()));
  useEffect(() => {
    if (data) wear(data);
  }, [data]);
  return <Context.Provider value={data ?? worn}>{children}</Context.Provider>;
}

export const useBrand = () => useContext(Context);

/** The light theme of the brand; undefined until it is fetched. */
export const useBrandTheme = (): Required<Brand["theme"]> | undefined => useQuery(brandQuery(useToken())).data?.theme as Required<Brand["theme"]> | undefined;

const FONTS: Record<string, string> = {
  inter: '"Inter Variable", system-ui, sans-serif',
  system: "system-ui, sans-serif",
  serif: 'Charter, "Iowan Old Style", Georgia, serif',
  mono: '"JetBrains Mono Variable", ui-monospace, monospace',
};

/** The variables of a theme, as a style sheet has them. */
export function declarations(theme: Brand["theme"]): string {
  return Object.entries(theme)
    .map(([token, value]) => {
      if (token === "radius") return `--radius: ${value}px;`;
      if (token === "font") return `--font: ${FONTS[String(value)] ?? FONTS.inter};`;
      return `--${token.replace("_", "-")}: ${value};`;
    })
    .join(" ");
}

const sheet = typeof CSSStyleSheet === "undefined" ? undefined : new CSSStyleSheet();

/** Through a constructed style sheet: the page's policy allows no inline style, and this is none. */
export function wear(brand: Brand): void {
  worn = brand;
  if (!sheet) return;
  sheet.replaceSync(
    `:root:root { ${declarations(brand.theme)} }\n` +
      `:root:root[data-mantine-color-scheme="dark"] { ${declarations(brand.theme_dark)} }`,
  );
  if (!document.adoptedStyleSheets.includes(sheet)) {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
}
