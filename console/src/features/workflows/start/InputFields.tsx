/** The fields for all inputs of a workflow. */

import type { Inputs, Typed } from "./fields";
import { InputField } from "./InputField";

interface Props {
  inputs: Inputs;
  typed: Typed;
  errors: Record<string, string>;
  onChange: (typed: Typed) => void;
}

export function InputFields({ inputs, typed, errors, onChange }: Props) {
  return Object.entries(inputs).map(([name, input]) => (
    <InputField key={name} name={name} input={input} value={typed[name] ?? ""} error={errors[name]} onChange={(value) => onChange({ ...typed, [name]: value })} />
  ));
}
