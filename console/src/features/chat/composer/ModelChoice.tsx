/** Who answers: a choice for operators, and for the others only its name. */

import { Select } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";

import { useExecutors } from "@/api/executors";
import { t } from "@/i18n";
import { useSession } from "@/session";

import { useModel } from "../queries";
import styles from "./Composer.module.css";

interface Props {
  executor: string;
  onChoose: (name: string) => void;
}

export function ModelChoice(props: Props) {
  const { operator } = useSession();
  return (
    <span className={styles.model}>
      {operator ? <Choice {...props} /> : <Name />}
      <Simulated />
    </span>
  );
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

function Choice({ executor, onChoose }: Props) {
  const model = useModel();
  const executors = useExecutors();
  const names = [...new Set(executors.data?.map(({ name }) => name))];
  if (names.length === 0) return <Name />;
  return (
    <Select
      size="xs"
      className={styles.choice}
      variant="unstyled"
      aria-label={t("chat.model.choose")}
      allowDeselect={false}
      comboboxProps={{ width: 240, position: "top-start" }}
      data={[{ value: "", label: (!model.data?.simulated && model.data?.model) || t("chat.model.default") }, ...names.map((name) => ({ value: name, label: name }))]}
      value={names.includes(executor) ? executor : ""}
      onChange={(value) => onChoose(value ?? "")}
    />
  );
}
