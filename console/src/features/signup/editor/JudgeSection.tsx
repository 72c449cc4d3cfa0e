/** What a model looks for in the answers, tried on those who signed up before; and how long prospects are kept. */

import { Button, NumberInput, Textarea } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Fault } from "@/ui/forms";
import { Section } from "@/ui/Page";

import { fetchProspects, replayJudge, type Replay } from "../api";
import { nameOf } from "../prospects/words";
import styles from "./Editor.module.css";
import type { Editing } from "./useEditing";

const LONGEST = 10_000;
const MOST_DAYS = 3_650;

export function JudgeSection({ editing }: { editing: Editing }) {
  const { has } = useSession();
  const { judge_prompt: prompt, retention_days: days } = editing.edited;
  const replay = useMutation({ mutationFn: () => replayWithNames(prompt) });
  return (
    <>
      <Section title={t("funnel.judge")} intro={t("funnel.judge.words")}>
        <div className={styles.stack}>
          <Textarea
            label={t("funnel.judge.prompt")}
            description={t("funnel.judge.prompt.words")}
            dir="auto"
            autosize
            minRows={4}
            maxRows={16}
            maxLength={LONGEST}
            value={prompt}
            error={editing.errorAt("/judge_prompt")}
            onChange={(event) => editing.change((before) => ({ ...before, judge_prompt: event.target.value }))}
          />
          {has("chat") && (
            <div>
              <Button variant="default" size="xs" disabled={!prompt.trim()} loading={replay.isPending} leftSection={<IconPlayerPlay aria-hidden size={15} />} onClick={() => replay.mutate()}>
                {t("funnel.replay")}
              </Button>
              <p className="muted">{t("funnel.replay.words")}</p>
            </div>
          )}
          <Fault fault={replay.error} />
          <div role="status">{replay.data && <Flips {...replay.data} />}</div>
        </div>
      </Section>
      <Section title={t("funnel.retention")} intro={t("funnel.retention.words")}>
        <NumberInput
          className={styles.days}
          label={t("funnel.retention.days")}
          placeholder={t("funnel.retention.never")}
          min={1}
          max={MOST_DAYS}
          allowDecimal={false}
          value={days ?? ""}
          error={editing.errorAt("/retention_days")}
          onChange={(value) => editing.change((before) => ({ ...before, retention_days: typeof value === "number" ? value : null }))}
        />
      </Section>
    </>
  );
}

type Names = ReadonlyMap<string, string>;

/** What would change, and the names of those who signed up last. */
async function replayWithNames(prompt: string): Promise<{ replay: Replay; names: Names }> {
  const [replay, { items }] = await Promise.all([replayJudge(prompt), fetchProspects({})]);
  return { replay, names: new Map(items.map((prospect) => [prospect.id, nameOf(prospect)])) };
}

function Flips({ replay: { compared, flips }, names }: { replay: Replay; names: Names }) {
  if (compared === 0) return <p>{t("funnel.replay.none")}</p>;
  return (
    <>
      <p>{t("funnel.replay.result", { flips: flips.length, compared })}</p>
      {flips.length > 0 && (
        <ul className={styles.flips}>
          {flips.map((flip, place) => (
            <li key={flip.prospect_id}>
              <Link to="/settings/company/sign-up" search={{ state: "all", id: flip.prospect_id } as never} target="_blank">
                {names.get(flip.prospect_id) ?? t("funnel.replay.prospect", { place: place + 1 })}
              </Link>{" "}
              {t("funnel.replay.flip", { before: t(`prospects.verdict.${flip.before}`), after: t(`prospects.verdict.${flip.after}`) })}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
