/** Secrets shown once, to copy or download, in a dialog that can't be closed by accident. */

import { Button, Checkbox, CopyButton } from "@mantine/core";
import { IconCheck, IconCopy, IconDownload } from "@tabler/icons-react";
import { useEffect, useState, type ReactNode } from "react";

import { t } from "@/i18n";

import { Dialog, DialogActions } from "./Dialog";
import { saveFile } from "./saveFile";
import styles from "./SecretOnce.module.css";

interface Props {
  title: string;
  /** What the secret is for, and what to do with it. */
  children: ReactNode;
  secrets: readonly string[];
  /** Name of the text file to download. */
  filename: string;
  /** First lines of that file, saying what it is. */
  heading?: string;
  /** How to use the secret, shown below it. */
  more?: ReactNode;
  onClose: () => void;
}

/** More secrets than this are shown in two columns. */
const FEW = 4;

export function SecretOnce({ title, children, secrets, filename, heading, more, onClose }: Props) {
  const [kept, setKept] = useState(false);
  const text = secrets.join("\n");
  useStayingHere();
  return (
    <Dialog title={title} onClose={onClose} firm wide={secrets.length > FEW || more !== undefined}>
      <p className="muted">{children}</p>
      <ul className={secrets.length > FEW ? styles.many : styles.few} aria-label={title}>
        {secrets.map((secret) => (
          <li key={secret}>
            <code>{secret}</code>
          </li>
        ))}
      </ul>
      <div className={styles.row}>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              data-autofocus
              variant="default"
              leftSection={copied ? <IconCheck aria-hidden size={15} /> : <IconCopy aria-hidden size={15} />}
              onClick={copy}
            >
              {copied ? t("action.copied") : t("action.copy")}
            </Button>
          )}
        </CopyButton>
        <Button
          variant="default"
          leftSection={<IconDownload aria-hidden size={15} />}
          onClick={() => saveFile(filename, `${heading ? `${heading}\n\n` : ""}${text}\n`)}
        >
          {t("action.download")}
        </Button>
      </div>
      {more}
      <Checkbox
        label={t("ui.secret.kept", { count: secrets.length })}
        checked={kept}
        onChange={(event) => setKept(event.currentTarget.checked)}
      />
      <DialogActions>
        <Button disabled={!kept} onClick={onClose}>
          {t("ui.done")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Asks before the page is closed. */
function useStayingHere(): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, []);
}
