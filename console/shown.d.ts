import type { Plugin } from "vite";

export function shownMessages(root: string): Record<string, string[]>;
export function keysIn(text: string, keys: readonly string[]): string[];
export function shownPlugin(root: string): Plugin;
