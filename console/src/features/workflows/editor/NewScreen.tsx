/** A new workflow: from a small example, or as a copy of another. */

import { NativeSelect } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import { byName, t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Failed, Loading } from "@/ui/states";

import { Item } from "../Area";
import { useDefinition, useDefinitions } from "../queries";
import { titleOf } from "../words";
import styles from "./Editor.module.css";
import { Editor } from "./Editor";
import { blank, copyOf, written } from "./templates";

/** The workflow to copy is in the address. */
export default function NewScreen() {
  const { from } = useSearch({ strict: false }) as { from?: string };
  const source = useDefinition(from);
  if (from && !source.data) {
    return (
      <Item back="/workflows" title={t("workflows.new")}>
        {source.isPending ? <Loading /> : <Failed error={source.error} again={() => void source.refetch()} />}
      </Item>
    );
  }
  const original = written(source.data && from ? copyOf(source.data.spec) : blank());
  return (
    <Editor
      // A copy has a draft of its own.
      key={from ?? ""}
      title={t("workflows.new")}
      place={from ? `+${from}` : "+"}
      original={original}
      version={0}
      above={(_, isChanged) => <Template from={from ?? ""} isChanged={isChanged} />}
    />
  );
}

function Template({ from, isChanged }: { from: string; isChanged: boolean }) {
  const go = useNavigate();
  const definitions = useDefinitions();
  const [wanted, setWanted] = useState<string | null>(null);
  const choose = (slug: string): void => void go({ to: ".", search: { from: slug || undefined } as never, replace: true });
  const others = [...(definitions.data ?? [])].sort((one, other) => byName(titleOf(one), titleOf(other)));
  return (
    <div className={styles.template}>
      <NativeSelect
        label={t("workflows.template")}
        value={from}
        data={[
          { value: "", label: t("workflows.template.blank") },
          ...others.map((one) => ({ value: one.slug, label: t("workflows.template.copy", { title: titleOf(one) }) })),
        ]}
        onChange={(event) => (isChanged ? setWanted(event.currentTarget.value) : choose(event.currentTarget.value))}
      />
      {wanted !== null && (
        <ConfirmDialog
          title={t("workflows.template.change")}
          confirm={t("workflows.template.change.do")}
          perform={() => Promise.resolve(choose(wanted))}
          onClose={() => setWanted(null)}
        >
          <p>{t("workflows.template.change.words")}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
