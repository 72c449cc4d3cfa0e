/** The server's API: typed by its own description, with refusals as errors that a screen can show. */

import createClient, { type Middleware } from "openapi-fetch";

import { reportedText, t } from "@/i18n";
import { retryWhileBusy } from "@/net/busy";
import { checkServer } from "@/net/reachability";

import { asPerson, endSessionOf } from "./renewing";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
export type Permission = Schemas["Permission"];
export type Feature = Schemas["Feature"];
export type Problem = Schemas["Problem"];

const PROXY_ERRORS = new Set([502, 503, 504]);

/** The server said no, or could not be asked: what a person is told, and the id to ask about. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>) {
    super(textOf(problem) ?? t("state.unreachable.words"));
    this.name = "Refusal";
    this.status = status;
    this.code = problem.code ?? (status ? "unexpected_answer" : "unreachable");
    this.problem = problem;
  }

  /** No answer, or only one from a proxy in front of the server. */
  get unreachable(): boolean {
    return this.status === 0 || (PROXY_ERRORS.has(this.status) && this.problem.code === undefined);
  }

  get requestId(): string | undefined {
    return this.problem.request_id;
  }

  /** What is wrong with one field of a form, by the last part of its pointer. */
  field(name: string): string | undefined {
    const named = this.problem.errors?.find((fault) => fault.pointer.split("/").pop() === name);
    if (named) return reportedText(named) ?? named.message;
    return this.problem.field === name ? this.message : undefined;
  }
}

/** The text of a problem, in the present locale if the catalog has it, after the name of the field that it is about. */
function textOf(problem: Partial<Problem>): string | undefined {
  const text = reportedText(problem);
  if (text === undefined) return problem.detail ?? problem.title;
  const place = `${problem.errors?.[0]?.pointer ?? ""}: `;
  return problem.detail?.startsWith(place) ? `${place}${text}` : text;
}

type Listener = (refusal: Refusal) => void;
const listeners = new Set<Listener>();

/** Calls back on every refused request, until what it returns is called. */
export function onRefusal(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const judge: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return response;
    throw await refused(response);
  },
  onError() {
    throw unreachable();
  },
};

/** What became of the request isn't known. */
function unreachable(): Refusal {
  void checkServer();
  return new Refusal(0, { title: t("state.failed"), detail: t("state.unreachable.words") });
}

/** The refusal in a response, passed on to all listeners; ends the session that was asked in, if it has expired. */
export async function refused(response: Response): Promise<Refusal> {
  const refusal = new Refusal(response.status, await problemOf(response));
  if (refusal.code === "unauthenticated" || refusal.code === "token_expired") endSessionOf(response);
  if (refusal.unreachable) void checkServer();
  listeners.forEach((listener) => listener(refusal));
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
  fetch: (request) => asPerson((bearer) => retryWhileBusy(() => fetch(withToken(request, bearer)), request.signal)),
});
api.use(judge);

function withToken(request: Request, bearer: string | null): Request {
  const own = request.clone();
  if (bearer) own.headers.set("authorization", `Bearer ${bearer}`);
  return own;
}

/** The body of an answer; refusals were thrown before. One that breaks off in its body is as good as none. */
export async function answer<T>(request: Promise<{ data?: T; response: Response }>): Promise<T> {
  try {
    return (await request).data as T;
  } catch (fault) {
    if (fault instanceof Refusal || (fault instanceof Error && fault.name === "AbortError")) throw fault;
    throw unreachable();
  }
}
