/** Imports terms from a CSV file: shows errors by line and differences first, then saves the rest. */

import { Button, FileButton } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { notice } from "@/ui/notice";
import { Progress } from "@/ui/Progress";
import { bytes } from "@/ui/quantities";

import { readCsv, type LineFault, type Read } from "../exchange";
import { useTermChanges, type Term } from "../queries";
import { Conflicts } from "./Conflicts";
import styles from "./Import.module.css";
import { LineFaults } from "./LineFaults";
import { saveLines } from "./saveLines";

const LARGEST = 5_000_000;
const NOTHING: Read = { added: [], conflicts: [], same: 0, faults: [] };

export function ImportDialog({ glossary, onClose }: { glossary: readonly Term[]; onClose: () => void }) {
  const { refetch } = useTermChanges();
  const [file, setFile] = useState("");
  const [read, setRead] = useState<Read>(NOTHING);
  const [replaced, setReplaced] = useState<readonly number[]>([]);
  const [share, setShare] = useState<number | null>(null);
  const [failed, setFailed] = useState<{ count: number; faults: LineFault[] } | null>(null);
  const lines = [...read.added, ...read.conflicts.filter(({ line }) => replaced.includes(line))];

  async function open(chosen: File | null): Promise<void> {
    if (!chosen) return;
    setFile(chosen.name);
    setReplaced([]);
    setFailed(null);
    const isLarge = chosen.size > LARGEST;
    setRead(isLarge ? { ...NOTHING, faults: [{ line: 1, message: t("glossary.import.large", { size: bytes(LARGEST) }) }] } : readCsv(await chosen.text(), glossary));
  }

  async function perform(): Promise<void> {
    setShare(0);
    const faults = await saveLines(lines, setShare);
    await refetch();
    setShare(null);
    const count = lines.length - faults.length;
    if (faults.length > 0) setFailed({ count, faults });
    else {
      notice(t("glossary.import.done", { count }));
      onClose();
    }
  }

  return (
    <Dialog title={t("glossary.import.title")} onClose={onClose} firm={share !== null} wide>
      <p className="muted">{t("glossary.import.words")}</p>
      <FileButton accept=".csv,.tsv,.txt,text/csv" onChange={(chosen) => void open(chosen)}>
        {(props) => (
          <Button {...props} variant="default" className={styles.file} leftSection={<IconFileText aria-hidden size={16} />} disabled={share !== null}>
            {file ? t("glossary.import.other") : t("glossary.import.file")}
          </Button>
        )}
      </FileButton>
      {file && !failed && (
        <>
          <p role="status">
            <b className={styles.name}>{file}</b>{" "}
            {t("glossary.import.summary", { added: read.added.length, changed: read.conflicts.length, same: read.same, faults: read.faults.length })}
          </p>
          <LineFaults title={t("glossary.import.faults")} words={t("glossary.import.faults.words")} faults={read.faults} />
          <Conflicts conflicts={read.conflicts} replaced={replaced} onChange={setReplaced} />
        </>
      )}
      {failed && <LineFaults title={t("glossary.import.faults")} words={t("glossary.import.stopped", { count: failed.count })} faults={failed.faults} />}
      {share !== null && <Progress label={t("glossary.import.progress")} share={share} />}
      <DialogActions>
        <Button variant="default" disabled={share !== null} onClick={onClose}>
          {failed ? t("action.close") : t("action.cancel")}
        </Button>
        {!failed && (
          <Button disabled={lines.length === 0} loading={share !== null} onClick={() => void perform()}>
            {t("glossary.import.do", { count: lines.length })}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
