/** The editor of a spec: JSON on one side, errors and graph on the other; on a phone, one at a time. */

import { Alert, Button } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { IconWand } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useId, useRef, useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Fault } from "@/ui/forms";
import { lazily } from "@/ui/lazily";
import { notice } from "@/ui/notice";
import { Segments } from "@/ui/Segments";
import { Loading } from "@/ui/states";

import { Item } from "../Area";
import { Graph } from "../graph/Graph";
import { usePublish } from "../queries";
import { faultsIn, faultySteps, problemsIn, useCheck, type Problem } from "./checking";
import { useDraft } from "./drafts";
import styles from "./Editor.module.css";
import type { EditorHandle } from "./JsonEditor";
import { placeOf, readJson } from "./places";
import { Problems } from "./Problems";
import { written } from "./templates";

const JsonEditor = lazily(() => import("./JsonEditor"));

type Side = "spec" | "graph";

interface Props {
  title: string;
  /** The slug, or empty for a new workflow. */
  place: string;
  /** What there is without a draft. */
  original: string;
  /** The newest published version; 0 for a new workflow. */
  version: number;
  /** Above the editor, with a way to replace the text. */
  above?: (replace: (text: string) => void, isChanged: boolean) => ReactNode;
}

export function Editor({ title, place, original, version, above }: Props) {
  const go = useNavigate();
  const { draft, isKept, keep, drop } = useDraft(place);
  const text = draft?.text ?? original;
  const isChanged = text !== original;
  const check = useCheck(text);
  const publish = usePublish();
  const editor = useRef<EditorHandle>(null);
  const [side, setSide] = useState<Side>("spec");
  const problemsId = useId();
  const refused = faultsIn(publish.error);
  const slug = check.spec?.slug || place;
  const write = (now: string): void => {
    if (now === original) drop();
    else keep({ text: now, version: draft?.version ?? version });
    if (publish.isError) publish.reset();
  };

  async function send(): Promise<void> {
    if (!check.value) return;
    const made = await publish.mutateAsync(check.value);
    drop();
    notice(t("workflows.published", { slug: made.slug, version: made.version }));
    await go({ to: "/workflows/spec/$slug", params: { slug: made.slug } });
  }

  const jump = (problem: Pick<Problem, "place">): void => {
    setSide("spec");
    // On a phone the editor is shown only now.
    requestAnimationFrame(() => editor.current?.jump(problem.place));
  };

  useUnkept(isChanged && !isKept);
  return (
    <Item
      back="/workflows"
      title={title}
      actions={
        <>
          <DraftWord isChanged={isChanged} isKept={isKept} />
          {isChanged && <Discard discard={drop} />}
          <Button variant="default" leftSection={<IconWand aria-hidden size={16} />} disabled={check.value === undefined} onClick={() => check.value && write(written(check.value))}>
            {t("workflows.format")}
          </Button>
          <Button loading={publish.isPending} disabled={check.state === "invalid" || check.state === "checking"} onClick={() => void send().catch(() => undefined)}>
            {t("workflows.publish")}
          </Button>
        </>
      }
    >
      {above?.(write, isChanged)}
      {draft && draft.version < version && (
        <Alert color="warning" role="note" className={styles.note} title={t("workflows.overtaken", { version })}>
          {t("workflows.overtaken.words", { version: draft.version })}
        </Alert>
      )}
      {publish.isError && refused.length === 0 && <Fault fault={publish.error} />}
      <Segments<Side>
        className={styles.sides}
        fullWidth
        aria-label={t("workflows.sides")}
        value={side}
        onChange={setSide}
        data={[{ value: "spec", label: t("workflows.side.spec") }, { value: "graph", label: t("workflows.side.graph") }]}
      />
      <div className={styles.desk} data-side={side}>
        <div className={styles.write}>
          <Suspense fallback={<Loading />}>
            <JsonEditor
              ref={editor}
              value={text}
              onChange={write}
              label={t("workflows.spec")}
              marks={check.problems.map((problem) => problem.place)}
              describedBy={problemsId}
            />
          </Suspense>
        </div>
        <div className={styles.beside}>
          <Problems id={problemsId} check={refused.length > 0 ? { ...check, state: "invalid", problems: problemsIn(text, readJson(text), refused) } : check} slug={slug} onJump={jump} />
          <div className={styles.graph}>
            {check.spec ? (
              <Graph
                spec={check.spec}
                label={t("workflows.graph", { title: check.spec.title || slug })}
                faulty={faultySteps(check.problems, check.value)}
                onPick={(step) => pick(step)}
              />
            ) : (
              <p className="muted">{t("workflows.graph.unreadable")}</p>
            )}
          </div>
        </div>
      </div>
    </Item>
  );

  /** Leads from a card to its step in the text. */
  function pick(step: string): void {
    const read = readJson(text);
    const at = check.spec?.steps.findIndex(({ id }) => id === step) ?? -1;
    if (read.ok && at >= 0) jump({ place: placeOf(`/steps/${indexOf(read.value, step)}/id`, read.places) });
  }
}

/** Among all steps as they are written, also those that can't be drawn. */
function indexOf(value: unknown, id: string): number {
  const { steps } = value as { steps: { id?: unknown }[] };
  return steps.findIndex((step) => step?.id === id);
}

function DraftWord({ isChanged, isKept }: { isChanged: boolean; isKept: boolean }) {
  if (!isChanged) return null;
  return (
    <span className={styles.draft} data-kept={isKept || undefined}>
      {t(isKept ? "workflows.draft.kept" : "workflows.draft.lost")}
    </span>
  );
}

function Discard({ discard }: { discard: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button variant="subtle" color="gray" onClick={() => setAsking(true)}>
        {t("workflows.draft.discard")}
      </Button>
      {asking && (
        <ConfirmDialog
          title={t("workflows.draft.discard.title")}
          confirm={t("workflows.draft.discard")}
          perform={() => Promise.resolve(discard())}
          onClose={() => setAsking(false)}
        >
          <p>{t("workflows.draft.discard.words")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** The browser asks before a text is lost that couldn't be kept. */
function useUnkept(isAtRisk: boolean): void {
  useWindowEvent("beforeunload", (event) => {
    if (isAtRisk) event.preventDefault();
  });
}
