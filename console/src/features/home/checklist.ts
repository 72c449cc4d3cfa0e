/** What a new team still has to do: derived from what is there, and only what this person can do. */

import { useQueries } from "@tanstack/react-query";

import { answer, api } from "@/api/client";
import type { MessageKey } from "@/i18n";
import { useSession, type Session } from "@/session";
import { usePrefer } from "@/session/preferences";

interface Check {
  name: "invite" | "factor" | "model" | "brand" | "s3";
  to: string;
  may: (session: Session) => boolean;
  isDone: (session: Session) => Promise<boolean> | boolean;
}

export interface Step {
  title: MessageKey;
  words: MessageKey;
  to: string;
  done: boolean;
}

const CHECKS: readonly Check[] = [
  {
    name: "invite",
    to: "/settings/team/people",
    may: ({ can }) => can("members:manage"),
    isDone: async () => (await answer(api.GET("/api/members", { params: { query: { limit: 2 } } }))).items.length > 1,
  },
  { name: "factor", to: "/settings/me/account", may: ({ me }) => me.scope === null, isDone: ({ me }) => me.two_factor },
  {
    name: "model",
    to: "/settings/team/models",
    may: ({ can, has }) => can("settings:manage") && has("chat"),
    isDone: async () => !(await answer(api.GET("/api/ai/model"))).roles.some(({ simulated }) => simulated),
  },
  {
    name: "brand",
    to: "/settings/company/branding",
    may: ({ can }) => can("org:manage"),
    isDone: async () => (await answer(api.GET("/api/org/branding"))).own,
  },
  {
    name: "s3",
    to: "/settings/team/connect",
    may: ({ can, me }) => can("settings:manage") && me.scope === null,
    isDone: async () => (await answer(api.GET("/api/s3/credentials"))).items.length > 0,
  },
];

export interface Checklist {
  steps: Step[];
  dismiss: () => void;
}

/** Without data when all is done, and after it was dismissed. */
export function useChecklist(): { isPending: boolean; data?: Checklist } {
  const session = useSession();
  const { me } = session;
  const prefer = usePrefer();
  const checks = me.preferences.checklist_dismissed ? [] : CHECKS.filter((check) => check.may(session));
  const found = useQueries({
    queries: checks.map((check) => ({
      queryKey: ["home", "checklist", check.name, me.team.id, me.two_factor],
      queryFn: async () => check.isDone(session),
      staleTime: 60_000,
    })),
  });
  if (found.some(({ isPending }) => isPending)) return { isPending: true };
  const steps = checks.map(({ name, to }, place): Step => ({
    title: `home.check.${name}`,
    words: `home.check.${name}.words`,
    to,
    // What couldn't be asked isn't asked of the person.
    done: found[place]?.data ?? true,
  }));
  if (steps.every(({ done }) => done)) return { isPending: false };
  return { isPending: false, data: { steps, dismiss: () => prefer({ checklist_dismissed: true }) } };
}
