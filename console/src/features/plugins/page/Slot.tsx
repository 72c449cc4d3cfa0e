/** Runs a plugin's bundle in a sandboxed frame. Whatever it does, the console around it goes on. */

import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url";
import { useEffect, useEffectEvent, useRef, useState } from "react";

import type { Plugin } from "@/api/extensions";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { noticeText } from "@/ui/notice";
import { Loading } from "@/ui/states";

import { openBridge, type Bridge, type Theme } from "./bridge";
import styles from "./Page.module.css";
import { useTheme } from "./theme";

/** A page that hasn't shown itself by then won't. */
const PATIENCE_MS = 15_000;

interface Props {
  plugin: Plugin;
  code: string;
  onFault: (message: string) => void;
}

export function Slot({ plugin, code, onFault }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const bridge = useRef<Bridge>(null);
  const [height, setHeight] = useState(0);
  const [ready, setReady] = useState(false);
  const theme = useTheme();
  const { me } = useSession();
  useEffect(() => void bridge.current?.wear(theme), [theme]);
  useEffect(() => () => bridge.current?.close(), []);
  const giveUp = useEffectEvent(() => onFault(t("plugins.page.late")));
  useEffect(() => {
    if (ready) return;
    const timer = setTimeout(giveUp, PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [ready]);

  async function begin(): Promise<void> {
    const font = await fontOf(theme);
    const { port1, port2 } = new MessageChannel();
    bridge.current?.close();
    bridge.current = openBridge(port1, plugin.id, { onReady: () => setReady(true), onHeight: setHeight, onFault, onRefused: noticeText });
    // The person's own: a plugin can have languages that the console doesn't have.
    const locale = me.locale ?? navigator.language;
    // The frame's origin is its own and has no name, so none can be given here. Nothing secret is sent.
    frame.current?.contentWindow?.postMessage({ code, locale, title: plugin.name, theme, font }, "*", [port2]);
  }

  return (
    <>
      {!ready && <Loading what={t("plugins.page.loading", { name: plugin.name })} />}
      <iframe
        ref={frame}
        className={styles.frame}
        src="/frame"
        title={plugin.name}
        sandbox="allow-scripts allow-forms"
        hidden={!ready}
        style={{ height }}
        onLoad={() => void begin()}
      />
    </>
  );
}

/** The frame has no network, so the font comes with the page; it is in the browser's cache already. */
async function fontOf(theme: Theme): Promise<ArrayBuffer | undefined> {
  if (!theme.variables["--font"]?.includes("Inter")) return undefined;
  return fetch(inter).then((response) => response.arrayBuffer(), () => undefined);
}
