/** Components whose code is loaded when they are first shown. */

import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { Component, lazy, type ComponentType, type ReactNode } from "react";

import { t } from "@/i18n";
import { checkServer, serverBack } from "@/net/reachability";

import { Empty } from "./states";

type Module<Props> = { default: ComponentType<Props> };
type Load<Props> = () => Promise<Module<Props>>;

/** Code that a lost server could not send comes when the server is back. What doesn't come takes nothing else away. */
export function lazily<Props extends object>(load: Load<Props>): ComponentType<Props> {
  const asked = (): ComponentType<Props> => lazy(() => load().catch((fault: unknown) => later(load, fault))) as ComponentType<Props>;
  let Content = asked();
  // Once the fault is shown, not before: what is rendered until then would ask again and again.
  const askAgain = (): void => void (Content = asked());
  return function Late(props: Props) {
    return (
      <Part onFault={askAgain}>
        <Content {...props} />
      </Part>
    );
  };
}

const AGAIN_MS = 400;

/** Code that doesn't come although the server is there: it has been replaced by a newer one. */
class LostCode extends Error {}

async function later<Props>(load: Load<Props>, fault: unknown): Promise<Module<Props>> {
  const again = (): Promise<Module<Props>> => loadLostStyles().then(load);
  if (!(await checkServer())) {
    await new Promise((resume) => setTimeout(resume, AGAIN_MS));
    return again().catch(() => {
      throw new LostCode(String(fault), { cause: fault });
    });
  }
  await serverBack();
  return again().catch(reload);
}

/** Some browsers remember that a module failed: only a new page asks for it again. */
function reload(): Promise<never> {
  location.reload();
  return new Promise(() => undefined);
}

// What loads modules asks for the style sheets of each only once, also if they fail.
const lostStyles = new Set<string>();

if (typeof document !== "undefined") {
  document.addEventListener("error", ({ target }) => void (target instanceof HTMLLinkElement && lose(target)), true);
}

function lose(link: HTMLLinkElement): void {
  if (link.rel === "stylesheet") lostStyles.add(link.href);
  link.remove();
}

async function loadLostStyles(): Promise<void> {
  await Promise.all([...lostStyles].map(loadStyle));
}

function loadStyle(href: string): Promise<void> {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", crossOrigin: "", href });
  return new Promise((resolve, reject) => {
    link.addEventListener("load", () => {
      lostStyles.delete(href);
      resolve();
    });
    link.addEventListener("error", () => reject(new Error(`The style sheet ${href} cannot be loaded.`)));
    document.head.append(link);
  });
}

interface Fault {
  fault?: unknown;
}

class Part extends Component<{ onFault: () => void; children: ReactNode }, Fault> {
  override state: Fault = {};

  static getDerivedStateFromError(fault: unknown): Fault {
    return { fault };
  }

  override componentDidCatch(): void {
    this.props.onFault();
  }

  override render(): ReactNode {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    if (fault instanceof LostCode) return <Newer />;
    throw fault as Error; // For the screen.
  }
}

/** Said in the place of the part: what is around it, such as a text that somebody writes, stays. */
function Newer() {
  return (
    <div role="alert">
      <Empty title={t("state.newer")} icon={IconRefresh} action={<Button onClick={() => location.reload()}>{t("state.newer.reload")}</Button>}>
        {t("state.newer.words")}
      </Empty>
    </div>
  );
}
