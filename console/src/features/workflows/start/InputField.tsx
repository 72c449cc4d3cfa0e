/** The field for one input of a workflow, by its type. */

import { Switch, Textarea, TextInput } from "@mantine/core";

import type { Input } from "../spec/shapes";
import { typeWords } from "../spec/words";
import { isObjectInput } from "./fields";
import { ObjectPicker } from "./ObjectPicker";
import styles from "./Start.module.css";

interface Props {
  name: string;
  input: Input;
  value: string | boolean;
  error?: string;
  onChange: (value: string | boolean) => void;
}

export function InputField({ name, input, value, error, onChange }: Props) {
  const hint = [input.description, typeWords(input.type)].filter(Boolean).join(" · ");
  const text = String(value);
  if (isObjectInput(name, input)) return <ObjectPicker label={name} description={input.description} value={text} error={error} onChange={onChange} />;
  switch (input.type) {
    case "boolean":
      return <Switch label={name} description={hint} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
    case "number":
    case "integer":
      return (
        <TextInput label={name} description={hint} inputMode={input.type === "integer" ? "numeric" : "decimal"} value={text} error={error} onChange={(event) => onChange(event.currentTarget.value)} />
      );
    case "array":
    case "object":
      return (
        <Textarea label={name} description={hint} classNames={{ input: styles.code }} spellCheck={false} autosize minRows={3} maxRows={14} value={text} error={error} onChange={(event) => onChange(event.currentTarget.value)} />
      );
    default:
      return <Textarea label={name} description={hint} autosize minRows={1} maxRows={10} value={text} error={error} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
}
