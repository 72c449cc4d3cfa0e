/** A field that also takes a file, chosen or dropped. */

import { Button, FileButton } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useState, type DragEvent, type ReactNode } from "react";

import { t } from "@/i18n";
import { bytes } from "@/ui/quantities";

import styles from "../Translate.module.css";

const LARGEST = 2_000_000;

export function FileField({ onRead, children }: { onRead: (raw: string) => void; children: ReactNode }) {
  const [over, setOver] = useState(false);
  const [fault, setFault] = useState("");

  async function read(file: File | null | undefined): Promise<void> {
    if (!file) return;
    const isHeavy = file.size > LARGEST;
    setFault(isHeavy ? t("translate.catalog.heavy", { size: bytes(LARGEST) }) : "");
    if (!isHeavy) onRead(await file.text());
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer.files[0]);
  }

  return (
    // Dropping is a shortcut for the button.
    <div
      className={styles.file}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className={styles.choose}>
        <FileButton accept=".json,application/json" onChange={(file) => void read(file)}>
          {(props) => (
            <Button {...props} variant="default" size="xs" leftSection={<IconFileText aria-hidden size={15} />}>
              {t("translate.catalog.file")}
            </Button>
          )}
        </FileButton>
        <span className={fault ? styles.bad : "muted"} role={fault ? "alert" : undefined}>
          {fault || (over ? t("translate.catalog.drop") : "")}
        </span>
      </div>
      {children}
    </div>
  );
}
