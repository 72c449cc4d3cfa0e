/** Permission select of a person. */

import type { ComponentProps } from "react";

import { StepSelect } from "@/ui/sharing/StepSelect";

import type { SharePermission, Steps } from "./shares";

type Props = Omit<ComponentProps<typeof StepSelect<SharePermission>>, keyof Steps> & Steps;

/** A permission that isn't on offer is shown all the same, where somebody has it. */
export function PermissionSelect({ steps, ...props }: Props) {
  return <StepSelect {...props} steps={steps.includes(props.value) ? steps : [...steps, props.value]} />;
}
