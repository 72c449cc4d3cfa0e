/** The choice to stay signed in; not shown where the instance keeps nobody signed in. */

import { Checkbox, type CheckboxProps } from "@mantine/core";

import { t } from "@/i18n";
import { useConfig } from "@/session/config";

export function StaySignedIn(props: CheckboxProps) {
  const days = useConfig().data?.stay_days ?? 0;
  if (days === 0) return null;
  return <Checkbox label={t("entrance.stay")} description={t("entrance.stay.hint", { days })} {...props} />;
}
