/** Allowed link targets in user text: web, email, footnotes in the same text, and things of this console. */

const LEADS = /^(https?:\/\/|mailto:)/i;
const FOOTNOTE = /^#(user-content-)?fn(ref)?-/;
const OWN = /^\/(notes|documents|files|people)\/([\w-]{1,64})$/;

/** The host that a link really leads to; undefined for footnotes, own things and addresses of mail. */
export function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host || undefined : undefined;
}

export function safeAddress(address: string): string | undefined {
  const trimmed = address.trim();
  return LEADS.test(trimmed) || FOOTNOTE.test(trimmed) || OWN.test(trimmed) ? trimmed : undefined;
}

export type OwnKind = "notes" | "documents" | "files" | "people";

/** What an address of this console names; undefined for all others. */
export function ownPlace(address: string): { kind: OwnKind; id: string } | undefined {
  const [, kind, id] = OWN.exec(address.trim()) ?? [];
  return kind && id ? { kind: kind as OwnKind, id } : undefined;
}
