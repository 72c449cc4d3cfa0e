/** Choice of a time zone, searchable by place and by name; an empty value stands for that of the device. */

import { Select, type SelectProps } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { deviceZone } from "@/i18n/time";
import { allZones, zoneId, zoneOf } from "@/i18n/zones";

import styles from "./Account.module.css";

export function TimeZone({ value, ...props }: SelectProps) {
  const [isAsked, setAsked] = useState(false);
  const chosen = value ? [zoneOf(value)] : [];
  const known = isAsked ? allZones() : [];
  const zones = [...chosen.filter(({ id }) => known.every((zone) => zone.id !== id)), ...known];
  return (
    <Select
      label={t("account.profile.zone")}
      description={t("account.profile.zone.hint")}
      data={[
        { value: "", label: t("account.profile.zone.device", { zone: zoneId(deviceZone()) }) },
        ...zones.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      searchable
      selectFirstOptionOnChange
      allowDeselect={false}
      nothingFoundMessage={t("account.profile.zone.none")}
      withScrollArea={false}
      classNames={{ options: styles.zones }}
      onDropdownOpen={() => setAsked(true)}
      value={value}
      {...props}
    />
  );
}
