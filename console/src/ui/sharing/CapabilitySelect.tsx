/** Permission select for a file or document. */

import type { ComponentProps } from "react";

import { t } from "@/i18n";

import { CAPABILITIES, type Capability } from "./queries";
import { StepSelect } from "./StepSelect";

type Props = Omit<ComponentProps<typeof StepSelect<Capability>>, "steps" | "wordsOf">;

export function CapabilitySelect(props: Props) {
  return <StepSelect {...props} steps={CAPABILITIES} wordsOf={(capability) => t(`sharing.can.${capability}`)} />;
}
