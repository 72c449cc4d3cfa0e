/** Object ID filter: applied when complete, not on every keystroke. */

import { TextInput } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";

interface Props {
  value?: string;
  onChange: (value: string | undefined) => void;
}

export function TargetInput({ value = "", onChange }: Props) {
  // Resets when the value changes from outside, such as by “Only this object”.
  return <Typing key={value} value={value} onChange={onChange} />;
}

function Typing({ value, onChange }: { value: string; onChange: Props["onChange"] }) {
  const [typed, setTyped] = useState(value);
  const done = (): void => {
    if (typed.trim() !== value) onChange(typed.trim() || undefined);
  };
  return (
    <TextInput
      label={t("audit.filter.target")}
      placeholder={t("audit.filter.target.hint")}
      spellCheck={false}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={done}
      onKeyDown={(event) => event.key === "Enter" && done()}
    />
  );
}
