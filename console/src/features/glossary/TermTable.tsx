/** Terms of one language as a table; a row turns into fields to be changed in place. */

import { ActionIcon, Button, TagsInput, TextInput } from "@mantine/core";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { languageName, t } from "@/i18n";
import { DataTable, type Column } from "@/ui/DataTable";
import { Fault, useSending } from "@/ui/forms";
import { notice } from "@/ui/notice";
import { Tag } from "@/ui/Tag";

import { useDelete } from "./deleting";
import styles from "./Glossary.module.css";
import { useTermChanges, type Term } from "./queries";
import { keyOf } from "./terms";
import { EMPTY, MOST_FORMS, valuesOf } from "./values";

interface Props {
  target: string;
  terms: readonly Term[];
  mayChange: boolean;
}

/** More are shown on request: a row has several controls. */
const FIRST = 200;

export function TermTable({ target, terms, mayChange }: Props) {
  const formId = useId();
  const { save } = useTermChanges();
  const remove = useDelete();
  const [all, setAll] = useState(false);
  const [editing, setEditing] = useState<string | null>(null);
  const editButtons = useRef(new Map<string, HTMLButtonElement>());
  const edited = useRef<string | null>(null);
  const { form, sending, fault, submit } = useSending(EMPTY, async (values) => {
    const term = terms.find((one) => keyOf(one) === editing);
    if (!term) return;
    await save({ term: term.term, target, translation: values.translation.trim(), note: values.note.trim(), forbidden: values.forbidden });
    setEditing(null);
    notice(t("glossary.saved", { term: term.term }));
  });
  // The fields are gone: back to the button that opened them.
  useEffect(() => {
    if (editing === null && edited.current) editButtons.current.get(edited.current)?.focus();
    edited.current = editing;
  }, [editing]);

  function begin(term: Term): void {
    form.setValues(valuesOf(term));
    form.clearErrors();
    setEditing(keyOf(term));
  }

  function hear(event: KeyboardEvent): void {
    if (event.key === "Escape") setEditing(null);
  }

  /** A field of the row that is edited, or the value of another row. */
  const field = (term: Term, label: string, value: ReactNode, input: (label: string) => ReactNode): ReactNode =>
    keyOf(term) === editing ? input(t("glossary.of", { field: label, term: term.term })) : value;

  const columns: Column<Term>[] = [
    { title: t("glossary.field.term"), cell: ({ term }) => <b className={styles.term}>{term}</b> },
    {
      title: t("glossary.field.translation"),
      cell: (term) =>
        field(term, t("glossary.field.translation"), <span lang={target}>{term.translation}</span>, (label) => (
          <TextInput aria-label={label} form={formId} lang={target} required autoFocus maxLength={100} onKeyDown={hear} {...form.getInputProps("translation")} />
        )),
    },
    {
      title: t("glossary.field.note"),
      cell: (term) =>
        field(term, t("glossary.field.note"), <Note text={term.note} />, (label) => (
          <TextInput aria-label={label} form={formId} maxLength={500} onKeyDown={hear} {...form.getInputProps("note")} />
        )),
    },
    {
      title: t("glossary.field.forbidden"),
      cell: (term) =>
        field(term, t("glossary.field.forbidden"), <Forms forms={term.forbidden} target={target} />, (label) => (
          <TagsInput aria-label={label} lang={target} acceptValueOnBlur maxTags={MOST_FORMS} onKeyDown={hear} {...form.getInputProps("forbidden")} />
        )),
    },
  ];

  const actions = (term: Term): ReactNode => {
    const key = keyOf(term);
    if (key === editing) {
      return (
        <span className={styles.actions}>
          <Button size="xs" variant="default" onClick={() => setEditing(null)}>
            {t("action.cancel")}
          </Button>
          <Button size="xs" type="submit" form={formId} loading={sending}>
            {t("action.save")}
          </Button>
        </span>
      );
    }
    return (
      <span className={styles.actions}>
        <ActionIcon
          ref={(button) => void (button ? editButtons.current.set(key, button) : editButtons.current.delete(key))}
          variant="subtle"
          color="gray"
          aria-label={t("glossary.edit", { term: term.term })}
          onClick={() => begin(term)}
        >
          <IconPencil aria-hidden size={16} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" aria-label={t("glossary.delete.named", { term: term.term })} onClick={() => void remove(term)}>
          <IconTrash aria-hidden size={16} />
        </ActionIcon>
      </span>
    );
  };

  return (
    <>
      <form id={formId} onSubmit={submit} />
      <DataTable
        caption={languageName(target)}
        columns={columns}
        rows={all ? terms : terms.slice(0, FIRST)}
        keyOf={keyOf}
        actions={mayChange ? actions : undefined}
      />
      {!all && terms.length > FIRST && (
        <Button variant="subtle" onClick={() => setAll(true)}>
          {t("glossary.more", { count: terms.length })}
        </Button>
      )}
      <Fault fault={fault} fields={["translation", "note", "forbidden"]} />
    </>
  );
}

function Note({ text }: { text: string }) {
  return text ? <span className={styles.note}>{text}</span> : <Nothing />;
}

function Forms({ forms, target }: { forms: readonly string[]; target: string }) {
  if (forms.length === 0) return <Nothing />;
  return (
    <span className={styles.forms} lang={target}>
      {forms.map((form) => (
        <Tag key={form}>
          <s>{form}</s>
        </Tag>
      ))}
    </span>
  );
}

function Nothing() {
  return (
    <span className="muted">
      <span aria-hidden>–</span>
      <span className="sr-only">{t("glossary.nothing")}</span>
    </span>
  );
}
