/** Scope of a key: all permissions or fewer, optionally limited to a folder. */

import { Checkbox, Radio, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import { t } from "@/i18n";
import { useSession } from "@/session";

import styles from "./Connect.module.css";
import { reachesOf } from "./scope";
import type { Values } from "./values";

export function LimitFields({ form }: { form: UseFormReturnType<Values> }) {
  const { can } = useSession();
  const { reach } = form.values;
  return (
    <>
      <Radio.Group label={t("connect.new.reach")} {...form.getInputProps("reach")}>
        <div className={styles.choices}>
          {reachesOf(can).map((choice) => (
            <Radio key={choice} value={choice} label={t(`connect.reach.${choice}`)} description={t(`connect.reach.${choice}.hint`)} />
          ))}
        </div>
      </Radio.Group>
      {reach !== "all" && (
        <TextInput
          label={t("connect.new.folder")}
          description={t("connect.new.folder.hint")}
          placeholder="reports/"
          spellCheck={false}
          maxLength={1000}
          {...form.getInputProps("folder")}
        />
      )}
      {reach === "write" && can("workflows:run") && (
        <Checkbox
          label={t("connect.new.starts")}
          description={t("connect.new.starts.hint")}
          {...form.getInputProps("starts", { type: "checkbox" })}
        />
      )}
    </>
  );
}
