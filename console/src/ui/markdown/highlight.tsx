/** Colours code by its syntax. Loaded when the first code is shown. */

import type { Element, Root, Text } from "hast";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import type { ReactNode } from "react";

import styles from "./Code.module.css";

const lowlight = createLowlight({
  bash, cpp, css, diff, go, ini, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml,
});

/** Longer code takes too long to colour while somebody waits. */
const LONGEST = 20_000;

/** Kinds of token by the classes of the grammar; the other tokens are plain. */
const TONES: Record<string, string | undefined> = {
  "hljs-keyword": styles.keyword, "hljs-built_in": styles.keyword, "hljs-literal": styles.keyword, "hljs-type": styles.keyword, "hljs-selector-tag": styles.keyword,
  "hljs-string": styles.text, "hljs-regexp": styles.text, "hljs-addition": styles.text,
  "hljs-number": styles.value, "hljs-symbol": styles.value, "hljs-attr": styles.value, "hljs-attribute": styles.value,
  "hljs-title": styles.name, "hljs-name": styles.name, "hljs-section": styles.name,
  "hljs-comment": styles.comment, "hljs-meta": styles.comment, "hljs-deletion": styles.removed,
}; // prettier-ignore

/** The code as it is, if its language isn't known. */
export default function highlighted(code: string, language: string): ReactNode {
  if (!lowlight.registered(language) || code.length > LONGEST) return code;
  return childrenOf(lowlight.highlight(language, code));
}

/** A part of a code in one colour. */
export interface Toned {
  from: number;
  to: number;
  tone: string;
}

/** The coloured parts in order, innermost only. */
export function tonesOf(code: string, language: string): Toned[] {
  if (!lowlight.registered(language) || code.length > LONGEST) return [];
  const found: Toned[] = [];
  let at = 0;
  function walk(node: Root | Element, tone?: string): void {
    for (const child of node.children) {
      if (child.type === "element") walk(child, toneOf(child) ?? tone);
      if (child.type !== "text") continue;
      if (tone) found.push({ from: at, to: at + child.value.length, tone });
      at += child.value.length;
    }
  }
  walk(lowlight.highlight(language, code));
  return found;
}

function childrenOf(node: Root | Element): ReactNode {
  return node.children.map((child, place) => {
    if (child.type === "element") return <Token key={place} node={child} />;
    return child.type === "text" ? (child as Text).value : null;
  });
}

function toneOf(node: Element): string | undefined {
  const names = Array.isArray(node.properties.className) ? node.properties.className : [];
  return names.map((name) => TONES[String(name)]).find(Boolean);
}

function Token({ node }: { node: Element }) {
  return <span className={toneOf(node)}>{childrenOf(node)}</span>;
}
