/** Components whose code is loaded when they are first shown. */

import { lazy, type ComponentType } from "react";

import { checkServer, serverBack } from "@/net/reachability";

type Module<Props> = { default: ComponentType<Props> };
type Load<Props> = () => Promise<Module<Props>>;

/** Code that a lost server could not send comes when the server is back. */
export function lazily<Props extends object>(load: Load<Props>) {
  return lazy(() => load().catch((fault: unknown) => later(load, fault)));
}

const AGAIN_MS = 400;

/** Code that doesn't come although the server is there: it has been replaced by a newer one. */
export class LostCode extends Error {}

async function later<Props>(load: Load<Props>, fault: unknown): Promise<Module<Props>> {
  if (!(await checkServer())) {
    await new Promise((resume) => setTimeout(resume, AGAIN_MS));
    return load().catch(() => {
      throw new LostCode(String(fault), { cause: fault });
    });
  }
  await serverBack();
  return load().catch(reload);
}

/** Some browsers remember that a module failed: only a new page asks for it again. */
function reload(): Promise<never> {
  location.reload();
  return new Promise(() => undefined);
}
