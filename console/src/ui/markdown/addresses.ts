/** Allowed link targets in user text: web, email, and footnotes in the same text. */

const LEADS = /^(https?:\/\/|mailto:)/i;
const FOOTNOTE = /^#(user-content-)?fn(ref)?-/;

/** The host that a link really leads to; undefined for footnotes and addresses of mail. */
export function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host || undefined : undefined;
}

export function safeAddress(address: string): string | undefined {
  const trimmed = address.trim();
  return LEADS.test(trimmed) || FOOTNOTE.test(trimmed) ? trimmed : undefined;
}
