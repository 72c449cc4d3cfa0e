/** Before the first prompt: what chat is good for. */

import { UnstyledButton } from "@mantine/core";
import { IconFileText, IconNotes, IconSearch, type Icon } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useSession } from "@/session";

import { suggest, type Suggested } from "../composer/bus";
import styles from "./Welcome.module.css";

interface Suggestion {
  name: "summarize" | "draft" | "find";
  icon: Icon;
  more?: Omit<Suggested, "text">;
}

const SUGGESTIONS: readonly Suggestion[] = [
  { name: "summarize", icon: IconFileText, more: { picks: true } },
  { name: "draft", icon: IconNotes },
  { name: "find", icon: IconSearch, more: { tools: true } },
];

export function Welcome({ mayAsk }: { mayAsk: boolean }) {
  const { has } = useSession();
  if (!mayAsk) return null;
  const offered = SUGGESTIONS.filter(({ more }) => !more?.tools || has("agent"));
  return (
    <div className={styles.welcome}>
      <h2>{t("chat.welcome")}</h2>
      <p className="muted">{t("chat.welcome.words")}</p>
      <ul className={styles.suggestions}>
        {offered.map(({ name, icon: Picture, more }) => (
          <li key={name}>
            <UnstyledButton className={styles.suggestion} onClick={() => suggest({ text: t(`chat.suggest.${name}.text`), ...more })}>
              <Picture aria-hidden size={18} stroke={1.6} />
              <b>{t(`chat.suggest.${name}`)}</b>
              <span>{t(`chat.suggest.${name}.words`)}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </div>
  );
}
