/** Arguments of a tool as a table. */

import { t } from "@/i18n";
import { DataTable } from "@/ui/DataTable";

import type { Argument } from "./arguments";
import styles from "./Tools.module.css";

export function Arguments({ tool, arguments: rows }: { tool: string; arguments: readonly Argument[] }) {
  return (
    <div className={styles.arguments}>
      <DataTable
        caption={t("tools.arguments.named", { name: tool })}
        rows={rows}
        keyOf={(argument) => argument.name}
        columns={[
          { title: t("tools.column.argument"), cell: ({ name }) => <code>{name}</code> },
          { title: t("tools.column.type"), cell: ({ type }) => type },
          { title: t("tools.column.required"), cell: (argument) => requiredWords(argument) },
          { title: t("tools.column.description"), cell: ({ description }) => description ?? <span className="muted">{t("tools.undescribed")}</span> },
        ]}
      />
    </div>
  );
}

function requiredWords({ required, fallback }: Argument): string {
  if (required) return t("tools.required");
  return fallback === undefined ? t("tools.optional") : t("tools.optional.default", { value: fallback });
}
