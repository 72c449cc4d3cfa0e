/** Allowed link targets in user text: web, email, and footnotes in the same text. */

const LEADS = /^(https?:\/\/|mailto:)/i;
const FOOTNOTE = /^#(user-content-)?fn(ref)?-/;

export function safeAddress(address: string): string | undefined {
  const trimmed = address.trim();
  return LEADS.test(trimmed) || FOOTNOTE.test(trimmed) ? trimmed : undefined;
}
