/** An event as a sentence: `Ann created a note`. Names in it are isolated, so that they can be styled. */

import type { Member } from "@/api/people";
import { t, type Values, languageName } from "@/i18n";

import { isKnown } from "./actions";
import type { TrailEvent } from "./source";

const KINDS = ["system", "provision", "anonymous", "worker"] as const;
export type ActorKind = (typeof KINDS)[number];
export const ACTOR_KINDS: readonly ActorKind[] = KINDS;

/** The actor's current name. */
export function actorName(event: TrailEvent, people: readonly Member[]): string {
  const { actor } = event;
  const kind = KINDS.find((name) => name === actor.kind);
  if (kind) return t(`audit.kind.${kind}`);
  return nameOf(actor.id, people) ?? actor.username ?? t("audit.person.gone");
}

/** `Note created`; unknown actions show their code. */
export function actionName(action: string): string {
  return isKnown(action) ? t(`audit.name.${action}`) : action;
}

export function sentenceOf(event: TrailEvent, people: readonly Member[]): string {
  const actor = apart(actorName(event, people));
  if (!isKnown(event.action)) return t("audit.did.unknown", { actor, action: event.action });
  return t(`audit.did.${event.action}`, { ...valuesOf(event, people), actor });
}

const ROLES = [
  "owner", "admin", "member", "viewer", "guest", "translator", "reviewer", "worker", "org_owner", "org_admin", "org_reader",
] as const; // prettier-ignore
const FEATURES = ["chat", "agent", "translate", "workflows"] as const;

function valuesOf(event: TrailEvent, people: readonly Member[]): Values {
  const { detail } = event;
  const person = detail.user_id ?? detail.principal_id ?? event.target;
  const feature = FEATURES.find((name) => name === event.target);
  return {
    person: apart(nameOf(person, people) ?? t("audit.person.somebody")),
    thing: apart(String(detail.key ?? detail.name)),
    principal: String(detail.principal_type),
    visibility: String(detail.visibility),
    role: roleName(detail.role),
    from: roleName(detail.from),
    to: roleName(detail.to),
    feature: apart(feature ? t(`features.${feature}`) : String(event.target)),
    tool: apart(String(event.target)),
    term: apart(String(event.target)),
    language: languageName(String(detail.target)),
    outcome: String(detail.outcome),
    enabled: String(detail.enabled),
    version: typeof detail.version === "number" ? detail.version : "none",
  };
}

function roleName(role: unknown): string {
  const known = ROLES.find((name) => name === role);
  return known ? t(`role.${known}`) : t("audit.role.none");
}

function nameOf(id: unknown, people: readonly Member[]): string | undefined {
  return people.find((person) => person.user_id === id)?.display_name;
}

/** Unicode isolates, for names in either writing direction. */
const [OPEN, CLOSE] = ["\u2068", "\u2069"];
const apart = (name: string): string => `${OPEN}${name}${CLOSE}`;

/** Parts of a sentence; every second part is a name. */
export function pieces(sentence: string): string[] {
  return sentence.split(new RegExp(`[${OPEN}${CLOSE}]`));
}
