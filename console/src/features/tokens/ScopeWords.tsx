/** Scope of a token in a cell: all permissions, or a count with the list in a popover. */

import { Popover, UnstyledButton } from "@mantine/core";

import { t } from "@/i18n";
import { parseScope, permissionName } from "@/ui/permissions";

import type { ApiToken } from "./queries";
import styles from "./Tokens.module.css";

export function ScopeWords({ token, person }: { token: ApiToken; person: string }) {
  if (token.scope === null) return <>{t("tokens.scope.all", { name: person })}</>;
  const count = token.scope.length;
  if (count === 1) return <Entry entry={token.scope[0] ?? ""} />;
  return (
    <Popover position="bottom-start" withArrow trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className={styles.more} aria-label={t("tokens.scope.show", { count, name: token.name })}>
          {t("tokens.scope.count", { count })}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        {/* Focused when it opens, so that Escape closes it and it is read. */}
        <ul className={styles.entries} tabIndex={-1} data-autofocus>
          {token.scope.map((entry) => (
            <li key={entry}>
              <Entry entry={entry} />
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}

function Entry({ entry }: { entry: string }) {
  const { permission, prefix } = parseScope(entry);
  if (!permission) return <code className={styles.permission}>{entry}</code>;
  return (
    <>
      {permissionName(permission)}
      {prefix && <span className="muted"> {t("tokens.scope.below", { prefix })}</span>}
    </>
  );
}
