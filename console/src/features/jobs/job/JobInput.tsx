/** A job's input: a prompt as it was written, anything else as JSON. */

import { t } from "@/i18n";
import { LateMarkdown } from "@/ui/markdown/LateMarkdown";
import { Snippet } from "@/ui/Snippet";
import { Attached } from "@/ui/turns/Attached";
import { textOf } from "@/ui/turns/content";
import type { Content } from "@/ui/turns/shapes";

import { chatInputOf, type ChatInput } from "../shapes";
import styles from "./Job.module.css";

const SPEAKERS = ["system", "user", "assistant"] as const;

export function JobInput({ input }: { input: unknown }) {
  const chat = chatInputOf(input);
  return chat ? <Asked chat={chat} /> : <Snippet label={t("jobs.input")} text={JSON.stringify(input, null, 2)} />;
}

export function Asked({ chat: { system, messages, prompt } }: { chat: ChatInput }) {
  const before = system ? [{ role: "system", content: system }, ...messages] : messages;
  if (before.length === 0) return <Said content={prompt} />;
  return (
    <dl className={styles.talk}>
      {[...before, { role: "user", content: prompt }].map(({ role, content }, place) => (
        <div key={place}>
          <dt>{speaker(role)}</dt>
          <dd>
            <Said content={content} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Said({ content }: { content: Content }) {
  return (
    <div className={styles.prompt}>
      <LateMarkdown text={textOf(content)} />
      <Attached content={content} />
    </div>
  );
}

function speaker(role: string): string {
  const known = SPEAKERS.find((name) => name === role);
  return known ? t(`jobs.speaker.${known}`) : role;
}
