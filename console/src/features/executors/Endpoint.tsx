/** Endpoint URL and API key of a push executor. */

import { PasswordInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import { t } from "@/i18n";

import type { Plane } from "./queries";
import type { Values } from "./values";

export function Endpoint({ plane, form }: { plane: Plane; form: UseFormReturnType<Values> }) {
  return (
    <>
      <TextInput
        label={t("executors.new.url")}
        description={t(plane === "instance" ? "executors.new.url.hint" : "executors.new.url.hint.company")}
        placeholder="https://models.example.com/v1"
        inputMode="url"
        maxLength={2000}
        required
        {...form.getInputProps("url")}
      />
      <PasswordInput
        label={t("executors.new.key")}
        description={t("executors.new.key.hint")}
        autoComplete="off"
        maxLength={1000}
        {...form.getInputProps("key")}
      />
    </>
  );
}
