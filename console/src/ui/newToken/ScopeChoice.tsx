/** Scope of a token: all permissions, or selected ones. */

import { Checkbox, Radio } from "@mantine/core";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { permissionName } from "../permissions";

import { offered } from "./scope";
import styles from "./NewToken.module.css";

interface Props {
  /** Null is all permissions. */
  value: string[] | null;
  onChange: (scope: string[] | null) => void;
  error?: React.ReactNode;
}

export function ScopeChoice({ value, onChange, error }: Props) {
  const { me } = useSession();
  // A scoped token can't create one without a scope.
  const scoped = me.scope !== null;
  return (
    <div className={styles.scope}>
      <Radio.Group
        label={t("tokens.new.scope")}
        value={value === null ? "all" : "some"}
        onChange={(choice) => onChange(choice === "all" ? null : [])}
      >
        <div className={styles.choices}>
          {!scoped && <Radio value="all" label={t("tokens.new.scope.all")} description={t("tokens.new.scope.all.hint")} />}
          <Radio value="some" label={t("tokens.new.scope.some")} description={t("tokens.new.scope.some.hint")} />
        </div>
      </Radio.Group>
      {value !== null && <Checklist value={value} onChange={onChange} error={error} />}
    </div>
  );
}

function Checklist({ value, onChange, error }: Props & { value: string[] }) {
  const { me } = useSession();
  return (
    <Checkbox.Group value={value} onChange={onChange} error={error} aria-label={t("tokens.new.scope")}>
      <div className={styles.groups}>
        {offered(me.permissions).map(([group, permissions]) => (
          <div key={group} role="group" aria-label={t(`tokens.group.${group}`)} className={styles.group}>
            <b>{t(`tokens.group.${group}`)}</b>
            {permissions.map((permission) => (
              <Checkbox
                key={permission}
                size="sm"
                value={permission}
                label={permissionName(permission)}
                description={<code className={styles.permission}>{permission}</code>}
              />
            ))}
          </div>
        ))}
      </div>
    </Checkbox.Group>
  );
}
