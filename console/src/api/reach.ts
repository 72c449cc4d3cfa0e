/** Whether the server is there: asked only while somebody waits for it. */

import { lazy, type ComponentType } from "react";

import { answer, api } from "./client";

const EVERY = 3_000;

/** Calls when the server is there, and again for as long as nobody stops it by what this returns. */
export function onReturn(call: () => void): () => void {
  const timer = setInterval(() => void isThere().then((there) => there && call()), EVERY);
  return () => clearInterval(timer);
}

function isThere(): Promise<boolean> {
  return fetch("/health", { cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );
}

/** A component whose code comes when it is needed. Code that a server which is gone did not send is its refusal. */
export function lazily<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazy(() => load().catch(explain));
}

/** The browser says of lost code only that it is lost: whether the server is there tells the two apart. */
async function explain(fault: unknown): Promise<never> {
  await answer(api.GET("/health"));
  throw fault;
}
