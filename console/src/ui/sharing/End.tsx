/** When a share ends: shown in its row, and changed there. */

import { Button, Menu, TextInput, UnstyledButton } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";

import { ago, t } from "@/i18n";
import { Time } from "@/ui/Time";

import { EXPIRIES, expiresAt, today, type Expiry } from "./expiry";
import styles from "./Sharing.module.css";

interface MenuProps {
  /** Of the person or team. */
  name: string;
  at: string | null;
  over: boolean;
  /** Another change of the share is on its way, which this one would undo. */
  busy: boolean;
  onEnd: (at: string | null) => void;
  /** Somebody wants to type a date. */
  onDay: () => void;
}

export function EndMenu({ name, at, over, busy, onEnd, onDay }: MenuProps) {
  const [toDay, setToDay] = useState(false);
  function choose(expiry: Expiry): void {
    setToDay(expiry === "date");
    if (expiry === "date") onDay();
    else onEnd(expiresAt(expiry, ""));
  }
  const words = at ? t(over ? "sharing.ended" : "sharing.ends", { when: ago(at) }) : t("sharing.endless");
  return (
    // The focus goes on to the date.
    <Menu position="bottom-start" returnFocus={!toDay} onOpen={() => setToDay(false)}>
      <Menu.Target>
        <UnstyledButton className={styles.end} aria-label={t("sharing.end.change", { name, end: words })}>
          {at ? <Time at={at}>{words}</Time> : words}
          <IconChevronDown aria-hidden size={12} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("sharing.until")}</Menu.Label>
        {EXPIRIES.map((expiry) => (
          <Menu.Item key={expiry} disabled={busy} onClick={() => choose(expiry)}>
            {t(`sharing.expiry.${expiry}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface FormProps {
  name: string;
  busy: boolean;
  onEnd: (at: string | null) => void;
  onClose: () => void;
}

export function EndForm({ name, busy, onEnd, onClose }: FormProps) {
  const [day, setDay] = useState("");
  function submit(event: React.FormEvent): void {
    event.preventDefault();
    if (day && !busy) onEnd(expiresAt("date", day));
  }
  return (
    <form className={styles.day} aria-label={t("sharing.day.of", { name })} onSubmit={submit}>
      <TextInput className={styles.expiry} type="date" required autoFocus label={t("sharing.day")} min={today()} value={day} onChange={(event) => setDay(event.currentTarget.value)} />
      <Button variant="default" onClick={onClose}>
        {t("action.cancel")}
      </Button>
      <Button type="submit" disabled={!day || busy}>
        {t("action.save")}
      </Button>
    </form>
  );
}
