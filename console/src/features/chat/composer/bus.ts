/** Fills the composer from elsewhere on the screen. */

export interface Suggested {
  text: string;
  tools?: boolean;
  /** Opens the picker for notes and files. */
  picks?: boolean;
}

type Fill = (suggested: Suggested) => void;
let fill: Fill | undefined;

export const suggest: Fill = (suggested) => fill?.(suggested);

/** Returns a function to unsubscribe. */
export function onSuggested(listener: Fill): () => void {
  fill = listener;
  return () => {
    if (fill === listener) fill = undefined;
  };
}
