/** Who answers: a choice where there is one, otherwise only its name. */

import { Select } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";

import { useExecutors } from "@/api/executors";
import { t } from "@/i18n";
import { useSession } from "@/session";

import { useModel, useModels } from "../queries";
import type { Answerer } from "../question";
import styles from "./Composer.module.css";

interface Props {
  answerer: Answerer;
  onChoose: (answerer: Answerer) => void;
}

export function ModelChoice(props: Props) {
  const { operator } = useSession();
  return (
    <span className={styles.model}>
      {operator ? <ExecutorChoice {...props} /> : <Choice {...props} executors={NOBODY} />}
      <Simulated />
    </span>
  );
}

const NOBODY: string[] = [];

/** Only operators name an executor. */
function ExecutorChoice(props: Props) {
  const executors = useExecutors();
  return <Choice {...props} executors={[...new Set(executors.data?.map(({ name }) => name))]} />;
}

function Simulated() {
  const model = useModel();
  if (!model.data?.simulated) return null;
  return (
    <span className={styles.simulated} title={t("chat.simulated.words")}>
      <IconFlask aria-hidden size={13} />
      {t("chat.simulated")}
    </span>
  );
}

function Name() {
  const model = useModel();
  if (!model.data || model.data.simulated) return null;
  return <span title={t("chat.model")}>{model.data.model ?? t("chat.model.none")}</span>;
}

function Choice({ answerer, executors, onChoose }: Props & { executors: readonly string[] }) {
  const model = useModel();
  const usual = model.data?.model;
  const others = (useModels().data ?? NOBODY).filter((name) => name !== usual);
  const choices: [string, Answerer][] = [
    ...others.map((name): [string, Answerer] => [`model ${name}`, { model: name }]),
    ...executors.map((name): [string, Answerer] => [`executor ${name}`, { executor: name }]),
  ];
  if (choices.length === 0) return <Name />;
  const options = (kind: keyof Answerer) => choices.flatMap(([value, { [kind]: label }]) => (label ? [{ value, label }] : []));
  const groups = [
    { group: t("chat.model.models"), items: options("model") },
    { group: t("chat.model.executors"), items: options("executor") },
  ];
  const chosen = choices.find(([, { model: named, executor }]) => named === answerer.model && executor === answerer.executor);
  return (
    <Select
      size="xs"
      className={styles.choice}
      variant="unstyled"
      aria-label={executors.length > 0 ? t("chat.model.choose") : t("chat.model")}
      allowDeselect={false}
      comboboxProps={{ width: 240, position: "top-start" }}
      data={[{ value: "", label: usual && !model.data?.simulated ? t("chat.model.usual", { model: usual }) : t("chat.model.default") }, ...groups.filter(({ items }) => items.length > 0)]}
      value={chosen?.[0] ?? ""}
      onChange={(value) => onChoose(choices.find(([each]) => each === value)?.[1] ?? {})}
    />
  );
}
