/** A part of the page that wears another theme than the rest, or some tokens of one. */

import { useLayoutEffect, useRef, type ComponentProps } from "react";

import { declarations } from "@/theme/brand";

import type { Theme } from "../theme/tokens";

export function Dressed({ theme, ...rest }: { theme: Partial<Theme> } & ComponentProps<"span">) {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // By the object model, which the page's policy allows, where it forbids a style attribute in the text.
    if (element.current) element.current.style.cssText = declarations(theme);
  }, [theme]);
  return <span ref={element} {...rest} />;
}
