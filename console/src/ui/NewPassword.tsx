/** Field for a new password: shows how many characters are missing. The server checks the strength. */

import { PasswordInput, type PasswordInputProps } from "@mantine/core";

import { t } from "@/i18n";

const SHORTEST = 12;

export function NewPassword({ value, ...rest }: PasswordInputProps & { value: string }) {
  const missing = SHORTEST - [...value].length;
  return (
    <PasswordInput
      autoComplete="new-password"
      description={missing > 0 ? t("field.password.hint", { count: missing }) : t("field.password.long_enough")}
      descriptionProps={{ "aria-live": "polite" }}
      inputWrapperOrder={["label", "input", "description", "error"]}
      value={value}
      {...rest}
    />
  );
}
