/** Applies another theme, or some of its tokens, to a part of the page. */

import { useLayoutEffect, useRef, type ComponentProps } from "react";

import { declarations } from "@/theme/brand";

import type { Theme } from "./tokens";

export function Themed({ theme, ...rest }: { theme: Partial<Theme> } & ComponentProps<"span">) {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // By CSSOM: the content security policy blocks inline style attributes.
    if (element.current) element.current.style.cssText = declarations(theme);
  }, [theme]);
  return <span ref={element} {...rest} />;
}
