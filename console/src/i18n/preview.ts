/**
 * One message in its place: a frame of the localization manager shows a screen with the text that is being written.
 * The frame's name says which message it is, so that it's known before the first word is shown.
 */

export interface Preview {
  locale: string;
  /** `namespace.key` of the message. */
  key: string;
  /** In place of what is served; empty for what is served. */
  text: string;
  /** The screens before sign-in, although somebody is signed in. */
  entrance: boolean;
}

/** Before and after the message. It has no width, and nobody types it. */
export const MARK = "\u2063";

export function readPreview(name: string): Preview | undefined {
  try {
    const { locale, key, text, entrance } = JSON.parse(name) as Partial<Record<keyof Preview, unknown>>;
    if (typeof locale !== "string" || typeof key !== "string" || typeof text !== "string") return undefined;
    return { locale, key, text, entrance: entrance === true };
  } catch {
    return undefined;
  }
}

const isFramed = typeof window !== "undefined" && window.parent !== window;

let current = isFramed ? readPreview(window.name) : undefined;

/** What this page is a preview of; undefined for the console itself. */
export const preview = (): Preview | undefined => current;

export function show(next: Preview | undefined): void {
  current = next;
}
