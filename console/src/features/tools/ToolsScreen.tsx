/** The team's tools by source; admins turn them on and off. */

import { IconTool } from "@tabler/icons-react";
import { useState } from "react";

import { byName, t } from "@/i18n";
import { useSession } from "@/session";
import { Page, Section } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";
import { fits, ListFilter } from "@/ui/TextFilter";

import { useTools, type Tool } from "./queries";
import { ToolLine } from "./ToolLine";
import styles from "./Tools.module.css";

export default function ToolsScreen() {
  const { me, can } = useSession();
  const intro = t(can("settings:manage") ? "tools.intro" : "tools.intro.reader", { team: me.team.name });
  return (
    <Page title={t("tools.title")} intro={intro}>
      <Tools />
    </Page>
  );
}

function Tools() {
  const tools = useTools();
  const [wanted, setWanted] = useState("");
  if (tools.isPending) return <Loading />;
  if (!tools.data) return <Failed error={tools.error} again={() => void tools.refetch()} />;
  if (tools.data.length === 0) {
    return (
      <Empty title={t("tools.none")} icon={IconTool}>
        {t("tools.none.words")}
      </Empty>
    );
  }
  const found = tools.data.filter((tool) => fits(wanted, tool.name, tool.description, tool.source));
  const count = t("tools.count", { count: found.length, on: found.filter((tool) => tool.enabled).length });
  return (
    <>
      <ListFilter label={t("tools.filter")} value={wanted} onChange={setWanted} count={count} />
      {bySource(found).map(([source, some]) => (
        <Section key={source} title={nameOf(source)} intro={source === SHIPPED ? t("tools.source.shipped.words") : t("tools.source.plugin.words")}>
          <ul className={styles.tools} aria-label={nameOf(source)}>
            {some.map((tool) => (
              <ToolLine key={tool.name} tool={tool} />
            ))}
          </ul>
        </Section>
      ))}
      {found.length === 0 && <Empty title={t("tools.none.filtered")} />}
    </>
  );
}

const SHIPPED = "shipped";

const nameOf = (source: string): string => (source === SHIPPED ? t("tools.source.shipped") : source);

/** Built-in tools first, then the others by name. */
function bySource(tools: readonly Tool[]): [source: string, tools: Tool[]][] {
  const sources = [...new Set(tools.map((tool) => tool.source))].sort(
    (one, other) => Number(other === SHIPPED) - Number(one === SHIPPED) || byName(one, other),
  );
  return sources.map((source) => [source, tools.filter((tool) => tool.source === source)]);
}
