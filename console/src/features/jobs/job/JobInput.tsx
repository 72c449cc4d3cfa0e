/** A job's input: a prompt as text, anything else as JSON. */

import { t } from "@/i18n";
import { Snippet } from "@/ui/Snippet";

import { chatInputOf } from "../shapes";
import styles from "./Job.module.css";

const SPEAKERS = ["system", "user", "assistant"] as const;

export function JobInput({ input }: { input: unknown }) {
  const chat = chatInputOf(input);
  if (!chat) return <Snippet label={t("jobs.input")} text={JSON.stringify(input, null, 2)} />;
  const before = chat.system ? [{ role: "system", content: chat.system }, ...chat.messages] : chat.messages;
  if (before.length === 0) return <p className={styles.prompt}>{chat.prompt}</p>;
  return (
    <dl className={styles.talk}>
      {[...before, { role: "user", content: chat.prompt }].map((said, place) => (
        <div key={place}>
          <dt>{speaker(said.role)}</dt>
          <dd className={styles.prompt}>{said.content}</dd>
        </div>
      ))}
    </dl>
  );
}

function speaker(role: string): string {
  const known = SPEAKERS.find((name) => name === role);
  return known ? t(`jobs.speaker.${known}`) : role;
}
