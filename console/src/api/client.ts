/** The server's API: typed by its own description, with refusals as errors that a screen can show. */

import createClient, { type Middleware } from "openapi-fetch";

import { t } from "@/i18n";

import { patiently } from "./patience";
import { token } from "./token";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
export type Permission = Schemas["Permission"];
export type Feature = Schemas["Feature"];
export type Problem = Schemas["Problem"];

const PROXY_SAYS = new Set([502, 503, 504]);

/** The server said no, or could not be asked: what a person is told, and the id to ask about. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? t("state.unreachable.words"));
    this.name = "Refusal";
    this.status = status;
    this.code = problem.code ?? (status ? "unexpected_answer" : "unreachable");
    this.problem = problem;
  }

  /** Nobody answered, or only a proxy in front of the server, which has no words of ours. */
  get unreachable(): boolean {
    return this.status === 0 || (PROXY_SAYS.has(this.status) && this.problem.code === undefined);
  }

  get requestId(): string | undefined {
    return this.problem.request_id;
  }

  /** What is wrong with one field of a form, by the last part of its pointer. */
  field(name: string): string | undefined {
    const named = this.problem.errors?.find((fault) => fault.pointer.split("/").pop() === name);
    return named?.message ?? (this.problem.field === name ? this.message : undefined);
  }
}

type Hearer = (refusal: Refusal) => void;
const hearers = new Set<Hearer>();

/** Tells of every refusal, whoever had asked, until what it returns is called. */
export function onRefusal(hear: Hearer): () => void {
  hearers.add(hear);
  return () => void hearers.delete(hear);
}

const authorize: Middleware = {
  onRequest({ request }) {
    const current = token.get();
    if (current && !request.headers.has("authorization")) {
      request.headers.set("authorization", `Bearer ${current}`);
    }
    return request;
  },
  async onResponse({ response }) {
    if (response.ok) return response;
    throw await refused(response);
  },
  onError() {
    throw new Refusal(0, { title: t("state.unreachable"), detail: t("state.unreachable.words") });
  },
};

/** What an answer refuses, told to whoever listens; a session that has ended is forgotten. */
export async function refused(response: Response): Promise<Refusal> {
  const refusal = new Refusal(response.status, await problemOf(response));
  if (refusal.code === "unauthenticated" || refusal.code === "token_expired") token.drop();
  hearers.forEach((hear) => hear(refusal));
  return refusal;
}

async function problemOf(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Partial<Problem>;
  } catch {
    return { title: response.statusText, request_id: response.headers.get("x-request-id") ?? undefined };
  }
}

/** Some routes answer in other forms too, to those who ask for them: here it is always JSON. */
export const api = createClient<paths, "application/json">({
  baseUrl: "/",
  fetch: (request) => patiently(() => fetch(request.clone())),
});
api.use(authorize);

/** The body of an answer; refusals were thrown before. */
export async function answer<T>(request: Promise<{ data?: T; response: Response }>): Promise<T> {
  return (await request).data as T;
}
