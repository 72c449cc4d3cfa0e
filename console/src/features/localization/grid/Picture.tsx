/** A screen of the console in a frame, in the language that is translated, with one text outlined in it. */

import { Select, Switch } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { languageName, t } from "@/i18n";
import type { Preview } from "@/i18n/preview";

import type { Message } from "../api";
import type { View } from "../places";
import styles from "./Texts.module.css";

interface Props {
  message: Message;
  text: string;
  views: readonly View[];
}

/** Once shown, shown for the next text too. */
let isShown = false;

export function Picture(props: Props) {
  const [shown, setShown] = useState(isShown);
  return (
    <details
      className={styles.around}
      open={shown}
      onToggle={(event) => {
        isShown = event.currentTarget.open;
        setShown(isShown);
      }}
    >
      <summary>{t("localization.picture")}</summary>
      {shown && <Frame {...props} />}
    </details>
  );
}

/** Typing redraws the frame when it pauses. */
const PAUSE_MS = 400;

function Frame({ message, text, views }: Props) {
  const [address, setAddress] = useState(views[0]?.address);
  const [clicking, setClicking] = useState(false);
  const [count, setCount] = useState<number>();
  const view = views.find((one) => one.address === address);
  if (!view) return null;
  return (
    <div className={styles.picture}>
      <div className={styles.look}>
        {views.length > 1 && (
          <Select
            size="xs"
            aria-label={t("localization.picture.screen")}
            allowDeselect={false}
            data={views.map(({ address, title }) => ({ value: address, label: t(title) }))}
            value={view.address}
            onChange={(chosen) => {
              setCount(undefined);
              setAddress(chosen ?? view.address);
            }}
          />
        )}
        <span role="status">{count === undefined ? "" : count > 0 ? t("localization.picture.found", { count }) : t("localization.picture.hidden")}</span>
        {!view.entrance && <Switch size="xs" label={t("localization.picture.click")} checked={clicking} onChange={(event) => setClicking(event.currentTarget.checked)} />}
      </div>
      <ScreenFrame key={view.address} message={message} text={text} view={view} clicking={clicking} onCount={setCount} />
    </div>
  );
}

interface ScreenProps {
  message: Message;
  text: string;
  view: View;
  clicking: boolean;
  onCount: (count: number) => void;
}

function ScreenFrame({ message, text, view, clicking, onCount }: ScreenProps) {
  const { basepath } = useRouter();
  const frame = useRef<HTMLIFrameElement>(null);
  const shown: Preview = { locale: message.locale, key: `${message.namespace}.${message.key}`, text, entrance: view.entrance };
  const preview = JSON.stringify(shown);
  const [name] = useState(preview);
  const sent = useRef(name);

  useEffect(() => {
    if (sent.current === preview) return undefined;
    const pause = setTimeout(() => {
      sent.current = preview;
      frame.current?.contentWindow?.postMessage(preview, location.origin);
    }, PAUSE_MS);
    return () => clearTimeout(pause);
  }, [preview]);

  useEffect(() => {
    const hear = ({ origin, source, data }: MessageEvent<unknown>): void => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return;
      if (typeof data === "object" && data !== null && "previewed" in data) onCount(Number(data.previewed));
    };
    window.addEventListener("message", hear);
    return () => window.removeEventListener("message", hear);
  }, [onCount]);

  return (
    <iframe
      ref={frame}
      className={styles.frame}
      name={name}
      src={`${basepath}${view.address}`}
      title={t("localization.picture.of", { screen: t(view.title), language: languageName(message.locale) })}
      // Otherwise the screen could take the focus from what is being written.
      inert={!clicking}
    />
  );
}
