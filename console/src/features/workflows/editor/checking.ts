/** Checks a spec while it is written: at once what JSON is, after a pause by the server whether it would run. */

import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";

import { validate, type SpecFault } from "../api";
import { isFields, specOf, type Spec } from "../spec/shapes";
import { faultWords } from "../words";
import { lineOf, placeOf, readJson, type Place, type Read } from "./places";

const PAUSE_MS = 350;

export interface Problem {
  line: number;
  place: Place;
  words: string;
  /** Where in the spec, such as `/steps/2/tool`; empty for JSON that can't be read. */
  pointer: string;
}

export interface Check {
  /** `unknown`: the server couldn't be asked. */
  state: "checking" | "valid" | "invalid" | "unknown";
  problems: Problem[];
  /** The last that could be read. */
  spec: Spec | null;
  value: Record<string, unknown> | undefined;
  /** That it would be published as. */
  version: number | null;
  fault: unknown;
  again: () => void;
}

export function useCheck(text: string): Check {
  const read = useMemo(() => readJson(text), [text]);
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const asked = useMemo(() => readJson(settled), [settled]);
  const canAsk = asked.ok && isFields(asked.value);
  const query = useQuery({
    queryKey: ["workflow-check", settled],
    queryFn: () => verdictOf(asked.ok && isFields(asked.value) ? asked.value : {}),
    enabled: canAsk,
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: Infinity,
    retry: 1,
  });
  const spec = useMemo(() => (read.ok ? specOf(read.value) : null), [read]);
  const isCurrent = text === settled && !query.isPlaceholderData && query.data !== undefined;
  const problems = useMemo(() => problemsIn(text, read, isCurrent || read.ok ? query.data?.errors : undefined), [text, read, isCurrent, query.data]);
  const base = { problems, spec, value: read.ok && isFields(read.value) ? read.value : undefined, version: query.data?.version ?? null, again: () => void query.refetch() };
  if (!read.ok || !isFields(read.value)) return { ...base, state: "invalid", fault: null };
  if (query.isError && text === settled) return { ...base, state: "unknown", fault: query.error };
  if (!isCurrent) return { ...base, state: "checking", fault: null };
  return { ...base, state: query.data?.valid ? "valid" : "invalid", fault: null };
}

/** A refusal with places is a verdict too. */
async function verdictOf(spec: Record<string, unknown>): Promise<{ valid: boolean; errors: SpecFault[]; version: number | null }> {
  try {
    return await validate(spec);
  } catch (fault) {
    const errors = faultsIn(fault);
    if (errors.length > 0) return { valid: false, errors, version: null };
    throw fault;
  }
}

/** What a refusal to publish says about places in the spec. */
export function faultsIn(fault: unknown): SpecFault[] {
  return fault instanceof Refusal && fault.status === 400 ? (fault.problem.errors ?? []) : [];
}

/** In the order of the text. */
export function problemsIn(text: string, read: Read, faults: readonly SpecFault[] = []): Problem[] {
  if (!read.ok) {
    const line = lineOf(text, read.at);
    return [{ line, place: { from: read.at, to: read.at + 1 }, words: t(`workflows.slip.${read.slip}`), pointer: "" }];
  }
  if (!isFields(read.value)) return [{ line: 1, place: { from: 0, to: text.length }, words: t("workflows.slip.object"), pointer: "" }];
  return faults
    .map((fault) => {
      const place = placeOf(fault.pointer, read.places);
      return { line: lineOf(text, place.from), place, words: faultWords(fault), pointer: fault.pointer };
    })
    .sort((one, other) => one.place.from - other.place.from);
}

/** The steps that problems are about, by id. */
export function faultySteps(problems: readonly Problem[], value: unknown): Set<string> {
  const steps = isFields(value) && Array.isArray(value.steps) ? (value.steps as unknown[]) : [];
  const places = problems.flatMap(({ pointer }) => /^\/steps\/(\d+)/.exec(pointer)?.[1] ?? []);
  const ids = places.map((place) => {
    const step = steps[Number(place)];
    return isFields(step) && typeof step.id === "string" ? step.id : "";
  });
  return new Set(ids.filter(Boolean));
}
