/** Chooses a file of the repository: the newest ones, or those found by what is typed. */

import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { answer, api } from "@/api/client";
import { t } from "@/i18n";

const PAUSE_MS = 200;
const FEW = 20;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface Choice {
  value: string;
  label: string;
}

function useNewest() {
  return useQuery({
    queryKey: ["workflows", "files"],
    queryFn: async () => (await answer(api.GET("/api/repo", { params: { query: { limit: FEW } } }))).items.map(({ id, title }) => ({ value: id, label: title })),
  });
}

function useFound(q: string) {
  return useQuery({
    queryKey: ["search", "files", q],
    queryFn: q
      ? async () => (await answer(api.GET("/api/search", { params: { query: { q, types: ["object"], limit: FEW } } }))).items.map(({ id, title }) => ({ value: id, label: title }))
      : skipToken,
    placeholderData: keepPreviousData,
  });
}

/** The name of a file that was chosen before. */
function useChosen(id: string) {
  return useQuery({
    queryKey: ["names", "object", id],
    queryFn: ID.test(id) ? async () => (await answer(api.GET("/api/repo-obj/{id}", { params: { path: { id } } }))).title : skipToken,
    staleTime: 60_000,
  });
}

interface Props {
  label: string;
  description?: string;
  value: string;
  error?: string;
  onChange: (id: string) => void;
}

export function ObjectPicker({ label, description, value, error, onChange }: Props) {
  const [typed, setTyped] = useState("");
  const [words] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const [picked, setPicked] = useState<Choice | null>(null);
  const newest = useNewest();
  const chosen = useChosen(value);
  const isSearching = words !== "" && words !== picked?.label;
  const found = useFound(isSearching && !ID.test(words) ? words : "");
  const pasted = ID.test(words) ? [{ value: words, label: words }] : [];
  const current = value ? [picked?.value === value ? picked : { value, label: chosen.data ?? value }] : [];
  const choices = unique([...current, ...pasted, ...((isSearching ? found.data : newest.data) ?? [])]);
  return (
    <Select
      label={label}
      description={description}
      placeholder={t("workflows.field.file.placeholder")}
      searchable
      clearable
      value={value || null}
      data={choices}
      // The server has found them already.
      filter={({ options }) => options}
      nothingFoundMessage={found.isFetching ? t("search.busy") : t("workflows.field.file.none")}
      error={error}
      onSearchChange={setTyped}
      onChange={(id, option) => {
        setPicked(id && option ? { value: id, label: option.label } : null);
        onChange(id ?? "");
      }}
    />
  );
}

function unique(choices: readonly Choice[]): Choice[] {
  return [...new Map([...choices].reverse().map((choice) => [choice.value, choice])).values()].reverse();
}
